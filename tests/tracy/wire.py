# SPDX-License-Identifier: BSD-3-Clause
"""Tracy on the wire, as the strict server sees it: the item table of one protocol, the
items of a frame, LZ4 blocks, the welcome. Knows nothing of what items mean."""
import os
import struct

FRAME_MAX = 262144
PACKED_MAX = 263188
WELCOME = (('timer_mul', 'd'), ('init_begin', 'q'), ('init_end', 'q'), ('delay', 'Q'),
           ('resolution', 'Q'), ('epoch', 'Q'), ('exec_time', 'Q'), ('pid', 'Q'),
           ('sampling_period', 'q'), ('flags', 'B'), ('cpu_arch', 'B'),
           ('manufacturer', '12s'), ('cpu_id', 'I'), ('program', '64s'), ('host', '1024s'))
QUERIES = ('Terminate String ThreadString SourceLocation PlotName FrameName Parameter FiberName '
           'ExternalName Disconnect CallstackFrame Symbol SymbolCode SourceCode DataTransfer '
           'DataTransferPart').split()
PLAIN = {'u8': 'B', 'u16': 'H', 'u32': 'I', 'u64': 'Q', 'p': 'Q', 'i8': 'b', 'i32': 'i',
         'i64': 'q', 'f32': 'f', 'f64': 'd', 'A': 'q', 'T': 'q', 'S': 'q', 'C': 'q', 'G': 'q',
         'Tb': 'q', 'Cb': 'q', 'T16': 'H', 'C16': 'H', 'T32': 'I', 'C32': 'I'}
TAILS = {'s8': ('B', 1, 0), 's16': ('H', 2, 0), 's32': ('I', 4, 0), 's16b': ('H', 2, 256)}


class Violation(Exception):
    """The client did something that a real server does not survive or mistakes."""


def welcome_layout(protocol):
    fields = [f for f in WELCOME if f[0] != 'delay' or protocol <= 74]
    return struct.Struct('<' + ''.join(f[1] for f in fields)), [f[0] for f in fields]


def query_numbers(protocol):
    names = list(QUERIES)
    if protocol < 66:
        names[8:11] = ['Disconnect', 'CallstackFrame', 'ExternalName']
    return {name: number for number, name in enumerate(names)}


class Item:
    """One row: packs to `head`, then maybe a text whose length field is `tail`."""

    def __init__(self, name, fields, is_tt):
        self.name = name
        self.never = fields == ['never']
        self.fields, self.times, self.tail, form = [], {}, None, '<'
        for field in [] if self.never else fields:
            key, kind = field.split(':')
            if kind in TAILS:
                self.tail = TAILS[kind]
                continue
            if kind[0] in 'ATSCG':
                self.times[key] = kind
            if kind == 'x':
                kind = 'u16' if is_tt else 'u8'
            if kind == 'u48':
                self.fields += [key, key + '_high']
                form += 'IH'
                continue
            self.fields.append(key)
            form += PLAIN[kind]
        self.head = struct.Struct(form)


def read_table(protocol, is_tt=False):
    """Items by number."""
    table = []
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'items.txt')
    with open(path) as lines:
        for line in lines:
            if line.startswith('#') or not line.strip():
                continue
            name, rest = line.split(None, 1)
            chosen = None
            for form in rest.split('|'):
                words = form.split()
                if int(words[0]) <= protocol:
                    chosen = words[1:]
            if chosen is not None:
                table.append(Item(name, chosen, is_tt))
    return table


def walk_frame(table, data):
    """Yields (item, values, text) for each item of a frame; an item that does not end
    inside of it straddles frames, which real servers read as garbage."""
    at, end = 0, len(data)
    while at < end:
        number = data[at]
        if number >= len(table):
            raise Violation('item number %d does not exist (at %d of a frame of %d)' % (number, at, end))
        item = table[number]
        if item.never:
            raise Violation('%s never goes on the wire' % item.name)
        at += 1
        if at + item.head.size > end:
            raise Violation('%s straddles frames' % item.name)
        values = dict(zip(item.fields, item.head.unpack_from(data, at)))
        at += item.head.size
        text = None
        if item.tail:
            form, size, bias = item.tail
            if at + size > end:
                raise Violation('%s straddles frames' % item.name)
            length = struct.unpack_from('<' + form, data, at)[0] + bias
            at += size
            if at + length > end:
                raise Violation('the text of %s straddles frames' % item.name)
            text = data[at:at + length]
            at += length
        yield item, values, text


class Lz4Stream:
    """Blocks of one connection; matches may reach back 64 KiB into earlier ones."""

    def __init__(self):
        self.history = b''

    def unpack(self, block):
        out = bytearray(self.history)
        start, at, end = len(out), 0, len(block)

        def length(n, at):
            if n == 15:
                while True:
                    more = block[at]
                    at += 1
                    n += more
                    if more != 255:
                        break
            return n, at
        try:
            while True:
                token = block[at]
                n, at = length(token >> 4, at + 1)
                if at + n > end:
                    raise Violation('LZ4: literals past the end of a block')
                out += block[at:at + n]
                at += n
                if at == end:
                    break
                offset = block[at] | block[at + 1] << 8
                n, at = length(token & 15, at + 2)
                n += 4
                if not 0 < offset <= len(out):
                    raise Violation('LZ4: a match reaches back too far')
                source = len(out) - offset
                if offset >= n:
                    out += out[source:source + n]
                else:
                    out += (out[source:] * (n // offset + 1))[:n]
                if len(out) - start > FRAME_MAX:
                    raise Violation('a frame unpacks to more than %d bytes' % FRAME_MAX)
        except IndexError:
            raise Violation('LZ4: a block ends in the middle')
        if len(out) - start > FRAME_MAX:
            raise Violation('a frame unpacks to more than %d bytes' % FRAME_MAX)
        data = bytes(out[start:])
        self.history = bytes(out[-65536:])
        return data
