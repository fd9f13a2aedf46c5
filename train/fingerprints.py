"""Record the SHA-256 of every file of weights that ships, in ``language/models/SHA256SUMS``.

    python train/fingerprints.py

Run it after any command here that writes weights: they are checked when they are loaded.
"""

from __future__ import annotations

from hashlib import sha256

from pyramidion.language.models.weights import MANIFEST, MODELS, weight_files


def lines() -> str:
    """One line a file, as ``sha256sum`` writes them."""
    files = (file for folder in sorted(MODELS.glob("*/")) for file in weight_files(folder))
    return "".join(
        f"{sha256(file.read_bytes()).hexdigest()}  {file.relative_to(MODELS).as_posix()}\n" for file in files
    )


if __name__ == "__main__":
    MANIFEST.write_text(lines(), "ascii")
    print(f"{MANIFEST}: {len(lines().splitlines())} files")
