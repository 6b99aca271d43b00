#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How viewers find us, in a network of our own (run it under unshare -n: Tracy's ports are
fixed, and other programs may have them).
found.py beacons COMMAND...    runs COMMAND; prints each beacon: version port protocol active name
found.py taken N COMMAND...    runs COMMAND while the first N of Tracy's ports are taken
The exit code is the command's."""
import fcntl
import select
import socket
import struct
import subprocess
import sys

PORT = 8086
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        request = struct.pack('16sH14x', b'lo', 0)
        flags = struct.unpack('16sH14x', fcntl.ioctl(s, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack('16sH14x', b'lo', flags | IFF_UP))


def beacons(command):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        s.bind(('', PORT))
        s.setblocking(False)
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while True:
            is_over = child.poll() is not None
            while select.select([s], [], [], 0 if is_over else 0.05)[0]:
                data = s.recv(256)
                version, port, protocol, pid, active = struct.unpack_from('<HHIQi', data)
                name = data[20:]
                if not name.endswith(b'\0') or name.count(b'\0') != 1 or not pid:
                    print('bad', data)
                print(version, port, protocol, active, name[:-1].decode(), flush=True)
            if is_over:
                return child.returncode


def taken(n, command):
    held = []
    for port in range(PORT, PORT + n):
        s = socket.socket()
        s.bind(('127.0.0.1', port))
        s.listen(1)
        held.append(s)
    return subprocess.call(command)


def main():
    raise_loopback()
    if sys.argv[1] == 'beacons':
        return beacons(sys.argv[2:])
    return taken(int(sys.argv[2]), sys.argv[3:])


if __name__ == '__main__':
    sys.exit(main())
