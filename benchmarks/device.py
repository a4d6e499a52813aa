"""Scores of rows on a graphics card beside NumPy, TorchMetrics and torcheval: digits and times.

    python benchmarks/device.py [ROWS ...]

Needs PyTorch; without a graphics card, tensors lie in main memory, which tries the script. Sizes
are 1e6 to 1e9 rows, of which 1% are positive, unless they are passed. What does not fit into memory
is left out. Ends with status 1 if our digits on the device differ from those from NumPy.
"""

import sys
import time

import numpy as np
from speed_calls import torch_metrics

import sklearn_ap as ap

SIZES = (10**6, 10**7, 10**8, 10**9)
MOST_ON_HOST = 10**8


def timed(call, wait):
    """The score, and the milliseconds of the fastest of three calls after a first one."""
    best = np.inf
    for _ in range(4):
        wait()
        start = time.perf_counter()
        score = float(call())
        wait()
        best = min(best, time.perf_counter() - start)
    return score, best * 1e3


def measure(torch, device, n):
    """Print a line for each library; return whether our digits are those from NumPy."""
    backend = getattr(torch, device)
    generator = torch.Generator(device).manual_seed(0)
    y = (torch.rand(n, generator=generator, device=device) < 0.01).to(torch.int8)
    score = torch.randn(n, generator=generator, device=device) + y
    calls = {"here": lambda: ap.average_precision_score(y, score)}
    for name, call in torch_metrics():
        calls[name] = lambda call=call: call(score, y.long())
    if n <= MOST_ON_HOST:
        rows = y.cpu().numpy(), score.cpu().numpy()
        calls["NumPy"] = lambda: ap.average_precision_score(*rows)
    digits = {}
    for name, call in calls.items():
        try:
            digits[name], milliseconds = timed(call, backend.synchronize)
        except RuntimeError as error:  # out of memory
            print(f"{n:>13,} {name:>13} {str(error).splitlines()[0]}")
            continue
        print(f"{n:>13,} {name:>13} {digits[name]!r:>22} {milliseconds:12.3f} ms")
    return "NumPy" not in digits or digits["NumPy"] == digits.get("here")


def main():
    import torch

    device = torch.accelerator.current_accelerator(check_available=True)
    device = "cpu" if device is None else device.type
    print(f"PyTorch {torch.__version__} on {device}, NumPy {np.__version__}")
    sizes = [int(float(size)) for size in sys.argv[1:]] or SIZES
    raise SystemExit(sum(not measure(torch, device, n) for n in sizes) > 0)


if __name__ == "__main__":
    main()
