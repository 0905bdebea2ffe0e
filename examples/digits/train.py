#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains the digits network with PyTorch and writes its weights, the held-out images and PyTorch's own answers.

Stands before the example: digits.safetensors is what its program loads, digits_test.safetensors what it is judged by.
Knows nothing of tarn. Run: pip install -r requirements.txt; train.py, or train.py --pictures for ../image/digit_*.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from safetensors.numpy import load_file, save_file
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

HERE = Path(__file__).resolve().parent
PICTURES = HERE.parent / "image"
SEED, HELD_OUT, EPOCHS, BATCH = 672, 360, 120, 64
SOURCE = ("E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, "
          "CC BY 4.0, as shipped with scikit-learn (load_digits)")


def network():
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(128, 10))


def split():
    """Pixels 0..16 as U8 [N, 8, 8] and labels U8 [N]: training images, held-out images, their labels likewise."""
    digits = load_digits()
    return train_test_split(digits.images.astype(np.uint8), digits.target.astype(np.uint8), test_size=HELD_OUT,
                            random_state=SEED, stratify=digits.target)


def as_input(images):
    return torch.from_numpy(images).to(torch.float32).div(16).unsqueeze(1)


def augment(x, generator):
    """Each image turned, scaled, sheared and moved a little: N small affine maps, bilinear, black outside."""
    n = len(x)
    jitter = (2 * torch.rand(n, 6, generator=generator) - 1) * torch.tensor([0.105, 0.07, 0.07, 0.105, 0.14, 0.14])
    turn, wide, high, shear, right, down = jitter.unbind(1)
    theta = torch.stack([(1 + wide) * turn.cos(), shear - turn.sin(), right,
                         turn.sin(), (1 + high) * turn.cos(), down], dim=1).view(n, 2, 3)
    return nn.functional.grid_sample(x, nn.functional.affine_grid(theta, list(x.shape), align_corners=False),
                                     align_corners=False)


def train(net, x, labels):
    generator = torch.Generator().manual_seed(SEED)
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-2)
    steps = EPOCHS * (len(x) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=6e-3, total_steps=steps)
    for _ in range(EPOCHS):
        order = torch.randperm(len(x), generator=generator)
        for i in range(len(x) // BATCH):
            batch = order[i * BATCH:(i + 1) * BATCH]
            loss = nn.functional.cross_entropy(net(augment(x[batch], generator)), labels[batch], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()


def exact_logits(net, x):
    """The float32 weights evaluated in float64, rounded once at the end."""
    with torch.no_grad():
        return net.double()(x.double()).float()


def write_network():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)  # one order of summation: the same weights on every run
    torch.use_deterministic_algorithms(True)
    train_images, test_images, train_labels, test_labels = split()
    net = network()
    train(net, as_input(train_images), torch.from_numpy(train_labels).long())

    weights = {name: value.numpy().copy() for name, value in net.state_dict().items()}
    logits = exact_logits(net, as_input(test_images)).numpy()
    right = int((logits.argmax(1) == test_labels).sum())
    print(f"held-out accuracy {right}/{HELD_OUT} = {100 * right / HELD_OUT:.2f} %, "
          f"{len(train_images)} training images, torch {torch.__version__}")
    save_file(weights, HERE / "digits.safetensors", metadata={
        "about": "state_dict of train.py's network, float32; input is pixel / 16. Trained on " + SOURCE})
    save_file({"images": test_images, "labels": test_labels, "logits": logits}, HERE / "digits_test.safetensors",
              metadata={"about": "Held-out images (pixels 0..16), their labels, PyTorch's logits for pixel / 16: the "
                                 "float32 weights of digits.safetensors evaluated in float64. Images: " + SOURCE})


def upscaled(image, size, canvas, at, dark_on_light):
    """A digit U8 [8, 8] and a black rim, drawn size x size, smoothly, on a canvas of (width, height) grey pixels."""
    grey = Image.fromarray((np.pad(image, 1).astype(np.float32) * (255 / 16)).astype(np.uint8))
    picture = Image.new("L", canvas, 0)
    picture.paste(grey.resize((size, size), Image.Resampling.BICUBIC), at)
    return picture.point(lambda v: 255 - v) if dark_on_light else picture


def write_pictures():
    held_out = load_file(HERE / "digits_test.safetensors")

    def digit(label, nth):
        return held_out["images"][np.flatnonzero(held_out["labels"] == label)[nth]]

    PICTURES.mkdir(exist_ok=True)
    upscaled(digit(3, 1), 128, (128, 128), (0, 0), False).save(PICTURES / "digit_3.png")
    upscaled(digit(5, 1), 180, (200, 240), (10, 30), True).save(PICTURES / "digit_5.png")
    upscaled(digit(7, 2), 150, (256, 160), (70, 5), True).convert("RGB").save(PICTURES / "digit_7.jpg", quality=90)
    upscaled(digit(0, 3), 100, (100, 100), (0, 0), True).convert("RGB").save(PICTURES / "digit_0.png")


if __name__ == "__main__":
    write_pictures() if "--pictures" in sys.argv[1:] else write_network()
