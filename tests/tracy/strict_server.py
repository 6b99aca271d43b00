#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A Tracy server that forgives nothing: connects to a client, speaks the protocol that it
is told to, asks all that a real server asks, and writes what it got as JSON lines.
Exit codes: 0 all is well; 1 the client broke a rule (said on stderr); 2 no client;
3 the client does not know the protocol; 4 the client is not available.
With --bad it is the server that breaks the rules; then 0 means that the client coped."""
import argparse
import collections
import gc
import json
import random
import select
import socket
import struct
import sys
import time

sys.dont_write_bytecode = True  # the source may be read-only

import wire
from model import Model
from wire import Violation

PROTOCOLS = (63, 64, 65, 66, 69, 72, 74, 76, 82)
BAD = ('wrong-magic', 'half-hello', 'stop-reading', 'garbage-queries', 'flood', 'die-mid-frame',
       'unknown-version')
FIRST = ('String', 'ThreadString', 'SourceLocation', 'PlotName', 'FrameName', 'Parameter',
         'FiberName', 'ExternalName')


class Refused(Exception):
    """The client's answer to the hello was not a welcome; args[0] is the exit code."""


class Server:
    def __init__(self, options):
        self.options = options
        self.protocol = options.protocol
        self.numbers = wire.query_numbers(self.protocol)
        self.table = wire.read_table(self.protocol, options.tt)
        self.deadline = time.monotonic() + options.timeout
        self.first, self.later = collections.deque(), collections.deque()
        self.out = bytearray()
        self.lz4 = wire.Lz4Stream()
        self.n_frames = self.n_bytes = self.n_queries = 0
        self.model = None

    # ---- the connection --------------------------------------------------------------
    def open_socket(self):
        family, kind, number, _, address = socket.getaddrinfo(self.options.host, self.options.port,
                                                              type=socket.SOCK_STREAM)[0]
        s = socket.socket(family, kind, number)
        try:
            if self.options.bad:
                # Soon full: what a server does not read stays with the client.
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.settimeout(1)
            s.connect(address)
        except OSError:
            s.close()
            raise
        return s

    def connect(self):
        end = time.monotonic() + self.options.wait
        while True:
            try:
                self.socket = self.open_socket()
                break
            except OSError as error:
                if time.monotonic() >= end:
                    raise SystemExit('strict_server: no client at port %d: %s' % (self.options.port, error))
                time.sleep(0.01)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.credit = self.options.credit or \
            min(self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) // 13, 8192) - 4

    def read(self, n, what):
        data = b''
        while len(data) < n:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise Violation('no %s in time' % what)
            self.socket.settimeout(left)
            try:
                more = self.socket.recv(n - len(data))
            except socket.timeout:
                continue
            if not more:
                raise Violation('the client closed before its %s was whole' % what)
            data += more
        return data

    def shake_hands(self):
        self.socket.sendall(b'TracyPrf' + struct.pack('<I', self.protocol))
        status = self.read(1, 'status')[0]
        if status in (2, 3):
            raise Refused(status + 1)
        if status != 1:
            raise Violation('status byte %d' % status)
        layout, names = wire.welcome_layout(self.protocol)
        welcome = dict(zip(names, layout.unpack(self.read(layout.size, 'welcome'))))
        for key in ('program', 'host'):
            text, _, rest = welcome[key].partition(b'\0')
            if len(text) == len(welcome[key]) or rest.strip(b'\0'):
                raise Violation('welcome: %s is not padded with NULs: a wrong size?' % key)
            welcome[key] = text.decode('utf-8', 'backslashreplace')
        welcome['manufacturer'] = welcome['manufacturer'].rstrip(b'\0').decode('latin-1')
        # A run without events ends with its start-up, and tools assert that it has a length.
        if not (0 < welcome['timer_mul'] < 1e9 and
                (welcome['init_end'] - welcome['init_begin']) * welcome['timer_mul'] >= 1):
            raise Violation('welcome: clock %s' % welcome)
        if welcome['cpu_arch'] > 4 or welcome['flags'] > 31:
            raise Violation('welcome: cpuArch %(cpu_arch)d, flags %(flags)d' % welcome)
        welcome['is_tt'] = int(self.options.tt)
        if welcome['flags'] & 1:
            self.read(16, 'on-demand payload')
        self.model = Model(self.protocol, welcome, self.ask)

    def packet(self, kind, key=0, extra=0):
        return struct.pack('<BQI', self.numbers[kind], key & (1 << 64) - 1, extra)

    def ask(self, kind, key):
        (self.first if kind in FIRST else self.later).append((kind, key))

    def send_queries(self):
        while (self.first or self.later) and len(self.model.pending) < self.credit:
            kind, key = (self.first or self.later).popleft()
            self.out += self.packet(kind, key)
            self.model.sent(kind, key)
            self.n_queries += 1

    def frames(self, buffer):
        """Takes whole frames off the buffer."""
        at = 0
        while len(buffer) - at >= 4:
            size = struct.unpack_from('<I', buffer, at)[0]
            if not 0 < size <= wire.PACKED_MAX:
                raise Violation('a frame of %d packed bytes' % size)
            if len(buffer) - at < 4 + size:
                break
            data = self.lz4.unpack(bytes(buffer[at + 4:at + 4 + size]))
            at += 4 + size
            self.n_frames += 1
            self.n_bytes += 4 + size
            for item, values, text in wire.walk_frame(self.table, data):
                self.model.feed(item, values, text)
            self.send_queries()
        del buffer[:at]

    def has_left(self, start):
        o = self.options
        if o.leave_seconds is not None and time.monotonic() - start >= o.leave_seconds:
            return True
        return o.leave_zones is not None and self.model.n_zones >= o.leave_zones and not self.model.pending

    def serve(self):
        buffer, start = bytearray(), time.monotonic()
        self.socket.setblocking(False)
        is_done = False
        while True:
            if not is_done and self.has_left(start):
                self.leave()
                return
            if not is_done and self.model.is_ended and self.model.is_drained() and \
                    not self.first and not self.later and not self.out:
                is_done = True
                self.out += self.packet('Terminate')
            if time.monotonic() > self.deadline:
                raise Violation('%s; %s' % ('the client does not close after Terminate' if is_done else
                                            'the end never came' if not self.model.is_ended else 'stuck at Terminate',
                                            self.model.why_not_drained()))
            readable, writable, _ = select.select([self.socket], [self.socket] if self.out else [], [], 0.05)
            if writable:
                try:
                    del self.out[:self.socket.send(self.out)]
                except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                    pass
            if readable:
                try:
                    data = self.socket.recv(1 << 16)  # real servers read two frames ahead
                except BlockingIOError:
                    continue
                except ConnectionResetError:
                    raise Violation('the client reset the connection')
                if not data:
                    break
                buffer += data
                self.frames(buffer)
        if is_done:
            return
        if self.model.is_ended:
            raise Violation('the client closed before its queries were drained: ' + self.model.why_not_drained())
        if not self.options.allow_drop:
            raise Violation('the client closed without Terminate; ' + self.model.why_not_drained())

    def leave(self):
        """What Stop or Ctrl-C in a viewer does."""
        self.socket.setblocking(True)
        self.socket.sendall(bytes(self.out) + self.packet('Terminate'))
        self.socket.close()

    # ---- what came ---------------------------------------------------------------------
    def dump(self, file):
        m, names = self.model, self.model.names
        strings = names['String']

        def place_of(zone):
            if isinstance(zone['place'], bytes):
                return m.dynamic[zone['place']]
            v = m.locations.get(zone['place'])
            if v is None:
                return {'name': '???', 'function': '???', 'file': '???', 'line': 0, 'colour': 0}
            return {'name': strings.get(v['name'], '' if not v['name'] else '???'), 'colour': v['colour'],
                    'function': strings.get(v['function'], ''), 'file': strings.get(v['file'], ''), 'line': v['line']}

        def fiber_name(key):
            return names['FiberName'].get(m.fibers[key]['key'], '???')

        def write(row):
            file.write(json.dumps(row, sort_keys=True) + '\n')
        write(dict(m.welcome, kind='welcome', protocol=self.protocol))
        for tid, name in sorted(names['ThreadString'].items()):
            write({'kind': 'thread', 'tid': tid, 'name': name, 'group': m.groups.get(tid)})
        for row in m.rows:
            if row['kind'] == 'zone':
                zone = row['zone']
                place = place_of(zone)
                row = {'kind': 'zone', 'thread': zone['thread'], 'begin_ns': zone['begin'], 'end_ns': zone['end'],
                       'depth': zone['depth'], 'text': '\n'.join(zone['text']), 'value': zone['value'],
                       'colour': place['colour'] if zone['colour'] is None else zone['colour'],
                       'name': zone['name'] if zone['name'] is not None else place['name'] or place['function'],
                       'file': place['file'], 'line': place['line'], 'function': place['function'],
                       'is_dynamic': isinstance(zone['place'], bytes)}
                if zone['fiber']:
                    row['fiber'] = fiber_name(zone['fiber'])
                if zone['stack']:
                    row['stack'] = [m.stacks.get(a, [{'function': '???'}])[0]
                                    for (a,) in struct.iter_unpack('<Q', zone['stack'])]
            if row['kind'] == 'device':
                place, context = place_of(row), m.gpu[row.pop('context')]
                del row['place']
                row.update(name=place['name'] or place['function'], file=place['file'], line=place['line'], device=context['name'])
            if 'text_key' in row:
                row['text'] = strings.get(row.pop('text_key'), '???')
            if 'name_key' in row:
                kind = 'PlotName' if row['kind'] == 'plot' else 'FrameName'
                key = row.pop('name_key')
                row['name'] = names[kind].get(key, '???') if key else None
            if 'thread' in row:
                row['thread_name'] = names['ThreadString'].get(row['thread'], '???')
            write(row)
        for key, fiber in m.fibers.items():
            write({'kind': 'fiber', 'name': fiber_name(key), 'runs': fiber['n_runs']})
        for number, lock in m.locks.items():
            place = place_of(lock)
            write({'kind': 'lock', 'id': number, 'name': lock['name'] or place['name'], 'obtained': lock['obtained'],
                   'function': place['function'], 'line': place['line'], 'threads': len(lock['threads']),
                   'is_shared': lock['is_shared'], 'is_gone': lock['is_gone']})
        for key, pool in m.pools.items():
            write({'kind': 'memory', 'name': strings.get(key, '???') if key else None, 'allocs': pool['allocs'],
                   'frees': pool['frees'], 'live': len(pool['live'])})
        for number, context in m.gpu.items():
            write({'kind': 'context', 'id': number, 'name': context['name']})
        write({'kind': 'summary', 'zones': m.n_zones, 'items': m.n_items, 'frames': self.n_frames,
               'bytes': self.n_bytes, 'queries': self.n_queries, 'locations': len(m.locations),
               'dynamic': len(m.dynamic), 'crashed': m.has_crashed, 'ended': m.is_ended})


# ---- servers that misbehave --------------------------------------------------------------
def wait_close(server, seconds, what):
    """The client must let go of us."""
    server.socket.settimeout(seconds)
    try:
        while server.socket.recv(65536):
            pass
    except socket.timeout:
        raise Violation('the client keeps the connection after %s' % what)
    except OSError:
        pass


def reset(server):
    server.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    server.socket.close()


def misbehave(server, how, hold):
    rng = random.Random(4)
    if how == 'wrong-magic':
        server.socket.sendall(b'GET / HTTP/1')
        wait_close(server, 10, how)
        return
    if how == 'half-hello':
        server.socket.sendall(b'Tracy')
        wait_close(server, 10, how)
        return
    if how == 'unknown-version':
        server.socket.sendall(b'TracyPrf' + struct.pack('<I', 9999))
        if server.read(1, 'status') != b'\2':
            raise Violation('an unknown version was not refused')
        wait_close(server, 10, how)
        return
    server.shake_hands()
    if how == 'stop-reading':
        time.sleep(hold)
        reset(server)
    elif how == 'die-mid-frame':
        server.read(5, 'frame')
        reset(server)
    elif how == 'garbage-queries':
        server.socket.settimeout(hold)
        try:
            for _ in range(200):
                kind = rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 77, 255))
                key = rng.choice((0, 1, 2 ** 64 - 1, rng.getrandbits(64), rng.getrandbits(20)))
                server.socket.sendall(struct.pack('<BQI', kind, key, rng.getrandbits(32)))
            server.socket.sendall(b'\1' * 7)  # and half a packet
            end = time.monotonic() + hold
            while time.monotonic() < end and server.socket.recv(65536):
                pass
        except OSError:
            pass
        server.socket.close()
    elif how == 'flood':
        # Asks without end and reads nothing: the client must bound what it keeps for us.
        end = time.monotonic() + hold
        server.socket.settimeout(0.2)
        packets = b''.join(server.packet('String', rng.getrandbits(64)) for _ in range(5000))
        n = 0
        while time.monotonic() < end:
            try:
                n += server.socket.send(packets)
            except socket.timeout:
                continue
            except OSError:
                break
        sys.stderr.write('flood: %d bytes of queries went out\n' % n)
        reset(server)


def read_options():
    ap = argparse.ArgumentParser()
    ap.add_argument('--host', default='127.0.0.1')
    ap.add_argument('--port', type=int, required=True)
    ap.add_argument('--protocol', type=int, default=82, help='one of %s, or any number' % (PROTOCOLS,))
    ap.add_argument('--tt', action='store_true', help="Tenstorrent's layouts (66 and 76)")
    ap.add_argument('--dump', help='JSON lines go here (default: standard output)')
    ap.add_argument('--wait', type=float, default=10, help='seconds to wait for a client that listens')
    ap.add_argument('--timeout', type=float, default=60, help='seconds for everything')
    ap.add_argument('--credit', type=int, default=0, help='queries on their way at most (default: as real servers)')
    ap.add_argument('--leave-seconds', type=float, help='stop like a viewer that is closed')
    ap.add_argument('--leave-zones', type=int, help='stop after so many zones')
    ap.add_argument('--allow-drop', action='store_true', help='a client that is killed may just close')
    ap.add_argument('--bad', choices=BAD)
    ap.add_argument('--hold', type=float, default=2, help='seconds that a --bad server holds on')
    return ap.parse_args()


def main():
    options = read_options()
    gc.disable()  # there are no cycles, and a client does not wait for a slow server for ever
    server = Server(options)
    try:
        server.connect()
    except SystemExit as error:
        sys.stderr.write('%s\n' % error)
        return 2
    code = 0
    try:
        if options.bad:
            misbehave(server, options.bad, options.hold)
            return 0
        server.shake_hands()
        server.serve()
    except Refused as refused:
        sys.stderr.write('strict_server: refused with status %d\n' % (refused.args[0] - 1))
        return refused.args[0]
    except Violation as violation:
        sys.stderr.write('strict_server: protocol %d: %s\n' % (options.protocol, violation))
        code = 1
    if server.model:
        if options.dump:
            with open(options.dump, 'w') as file:
                server.dump(file)
        else:
            server.dump(sys.stdout)
    return code


if __name__ == '__main__':
    sys.exit(main())
