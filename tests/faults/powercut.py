"""A disk whose power can be cut: a file system in a loop image, and the ioctl that shuts it down on the spot.

After the shutdown nothing more reaches the image, not even the log that was in memory. Unmounting and mounting it
again is what a machine does after a power cut.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHUTDOWN = 0x8004587D
_WITHOUT_LOG = 2
_MAKE = {
    "ext4": (64, ["mkfs.ext4", "-q", "-F"]),
    "xfs": (320, ["mkfs.xfs", "-q", "-f"]),
}
FILE_SYSTEMS = tuple(_MAKE)


def missing_tool(kind: str) -> str:
    """Why there is no such disk here, or nothing."""
    return "" if shutil.which(_MAKE[kind][1][0]) else f"NOT RUN: {_MAKE[kind][1][0]} is not installed"


class Disk:
    """A mounted file system, with a switch."""

    def __init__(self, image: Path, place: Path) -> None:
        self._image = image
        self.place = place

    def mount(self) -> None:
        """Switch it on."""
        _run("mount", "-o", "loop", str(self._image), str(self.place))

    def cut(self) -> None:
        """Switch it off: from now on, every access fails and nothing more is written."""
        descriptor = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, _SHUTDOWN, struct.pack("I", _WITHOUT_LOG))
        finally:
            os.close(descriptor)

    def unmount(self) -> None:
        """Take it off its folder; whoever used it must be gone."""
        _run("umount", str(self.place))

    def restart(self) -> None:
        """What happens when the power is back."""
        self.unmount()
        self.mount()

    def sync(self) -> None:
        """Bring everything onto the disk, so that only what comes now can be lost."""
        _run("sync", "-f", str(self.place))


@contextlib.contextmanager
def disk(kind: str) -> Iterator[Disk]:
    """A new disk, gone without a trace afterwards."""
    megabytes, command = _MAKE[kind]
    folder = Path(tempfile.mkdtemp(prefix="rawko-disk-"))
    try:
        image, place = folder / "image", folder / "disk"
        place.mkdir()
        with open(image, "wb") as file:
            file.truncate(megabytes << 20)
        _run(*command, str(image))
        made = Disk(image, place)
        made.mount()
        try:
            yield made
        finally:
            made.unmount()
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def small_disk(options: str) -> Iterator[Path]:
    """A tmpfs with these limits."""
    place = Path(tempfile.mkdtemp(prefix="rawko-small-"))
    _run("mount", "-t", "tmpfs", "-o", options, "rawko-small", str(place))
    try:
        yield place
    finally:
        _run("umount", str(place))
        place.rmdir()


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
