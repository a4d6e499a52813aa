"""A program of another language that stays open, and answers each line that it is asked."""

import subprocess


def started(*command):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, text=True, **pipes)


def answer_of(program, y, s, w, *texts):
    """What it prints after "answer: " for labels, scores and weights; its errors are raised."""
    columns = (" ".join(repr(float(value)) for value in values) for values in (y, s, w))
    program.stdin.write("\t".join((*columns, *texts)) + "\n")
    program.stdin.flush()
    while not (line := program.stdout.readline()).startswith("answer: "):
        if not line:
            raise EOFError(f"{program.args[0]} has ended")
    answer = line.removeprefix("answer: ").strip()
    if answer.startswith("error: "):
        raise RuntimeError(answer)
    return answer
