"""The file of `example`, in a module that needs no library, so that it is printed at once."""

# McCann's ten images, ranked by a model that rounds its scores; 1 is an airplane, 0 a goose.
Y_TRUE = (1, 1, 0, 1, 0, 1, 0, 0, 0, 1)
Y_SCORE = (0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1)
USERS = ("ann",) * 5 + ("bob",) * 5
FILE = "user,y,p\n" + "".join(
    f"{user},{y},{p}\n" for user, y, p in zip(USERS, Y_TRUE, Y_SCORE, strict=True)
)
