#!/usr/bin/env python3
"""A training step in PyTorch with NVTX regions and its own profiler inside.

    train.py [--steps N] [--truth FILE]

Three linear layers without TF32, so that all products are FP32 multiply-adds:
2MNK for each layer forward, twice that backward but for the first layer, whose
input needs no gradient. Exits with 77 and the reason where PyTorch or a GPU is
missing.
"""

import argparse
import json
import os
import sys

SIZE = 2048
LAYERS = 3
PROFILED = range(10, 13)
EXIT_NOT_HERE = 77


def train(torch, steps):
    """Runs the steps and returns how many kernels torch.profiler saw."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    layers = []
    for _ in range(LAYERS):
        layers += [torch.nn.Linear(SIZE, SIZE), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    inputs = torch.randn(SIZE, SIZE, device="cuda")
    targets = torch.randn(SIZE, SIZE, device="cuda")
    nvtx = torch.cuda.nvtx
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    profiler, kernels = None, 0
    for step in range(steps):
        if step == PROFILED.start:
            profiler = torch.profiler.profile(activities=activities)
            profiler.start()
        nvtx.range_push("forward")
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        nvtx.range_pop()
        optimizer.zero_grad(set_to_none=True)
        nvtx.range_push("backward")
        loss.backward()
        nvtx.range_pop()
        nvtx.range_push("optimizer")
        optimizer.step()
        nvtx.range_pop()
        torch.cuda.synchronize()
        if step == PROFILED.stop - 1:
            profiler.stop()
            kernels = sum(1 for event in profiler.events()
                          if event.device_type == torch.autograd.DeviceType.CUDA)
    return kernels


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--truth")
    options = parser.parse_args()
    if options.steps < PROFILED.stop:
        parser.error(f"--steps: at least {PROFILED.stop}, the last one that is profiled")
    try:
        import torch
    except ImportError as error:
        print(f"no PyTorch: {error}", file=sys.stderr)
        return EXIT_NOT_HERE
    if not torch.cuda.is_available():
        print("PyTorch finds no CUDA device", file=sys.stderr)
        return EXIT_NOT_HERE
    kernels = train(torch, options.steps)
    product = 2 * SIZE ** 3
    truth = {"program": "train.py", "pid": os.getpid(), "profiler_kernels": kernels,
             "fp32_regions": [
                 {"region": "forward", "instances": options.steps, "flop": LAYERS * product},
                 {"region": "backward", "instances": options.steps,
                  "flop": (2 * LAYERS - 1) * product}]}
    text = json.dumps(truth, indent=1)
    if options.truth:
        with open(options.truth, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
