"""The exit statuses of the program, beside 0. ``--help`` says what each means."""

UNDEFINED, WRONG, NOT_SHOWN, FAULT, STOPPED = 1, 2, 3, 70, 130
