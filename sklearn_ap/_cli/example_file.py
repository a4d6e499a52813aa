"""The file of `example`, in a module that needs no library, so that it is printed at once."""

# McCann's ten images, ranked by a model that rounds its scores; 1 is an airplane, 0 a goose.
FILE = """\
user,y,p
ann,1,0.9
ann,1,0.8
ann,0,0.8
ann,1,0.7
ann,0,0.6
bob,1,0.6
bob,0,0.4
bob,0,0.3
bob,0,0.3
bob,1,0.1
"""
