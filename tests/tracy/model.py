# SPDX-License-Identifier: BSD-3-Clause
"""What a Tracy server keeps of a connection, and everything that it assumes: each rule
that real servers leave to undefined behaviour or end the session for is a Violation here."""
import collections
import struct

from wire import Violation

LOCATIONS_MAX = 32767
TIME_MAX = 1 << 47
SHORT, LONG = 1 << 16, (1 << 16) + (1 << 32)
REPLIES = {'StringData': 'String', 'ThreadName': 'ThreadString', 'PlotName': 'PlotName',
           'FrameName': 'FrameName', 'FiberName': 'FiberName', 'ExternalName': 'ExternalName',
           'SourceLocation': 'SourceLocation', 'CallstackFrameSize': 'CallstackFrame',
           'SymbolInformation': 'Symbol'}
AFTER_END = set(REPLIES) | {'KeepAlive', 'CallstackFrame', 'ExternalThreadName', 'SingleStringData',
                            'SecondStringData', 'SingleStringData8', 'SecondStringData8',
                            'AckServerQueryNoop'}


def need(condition, *words):
    if not condition:
        raise Violation(words[0] % words[1:] if len(words) > 1 else words[0])


def text_of(data):
    return data.decode('utf-8', 'backslashreplace')


def colour_of(v):
    return v['r'] << 16 | v['g'] << 8 | v['b']


class Line:
    """A row of the timeline: a thread or a fiber."""

    def __init__(self):
        self.stack, self.last, self.next_id, self.has_callstack = [], None, 0, False


class Model:
    def __init__(self, protocol, welcome, ask):
        self.protocol, self.welcome, self.ask = protocol, welcome, ask
        self.reference = {'T': 0, 'S': 0, 'C': 0, 'G': 0}
        self.thread = None
        self.lines, self.fiber_of, self.groups = {}, {}, {}
        self.fibers, self.stacks = {}, {}
        self.pending, self.asked = collections.deque(), set()
        self.names = collections.defaultdict(dict)  # kind of query -> key -> reply
        self.locations, self.dynamic = {}, {}
        self.staged = dict.fromkeys(('string', 'second', 'location', 'callstack', 'memory'))
        self.frames_owed = 0
        self.external = None
        self.has_serial_callstack = False
        self.is_ended = self.has_crashed = False
        self.rows, self.n_zones, self.n_items = [], 0, 0
        self.frame_sets, self.locks, self.pools, self.gpu, self.sections = {}, {}, {}, {}, {}
        self.message_times = {}

    # ---- queries -------------------------------------------------------------------
    def want(self, kind, key):
        """Asks once; a real server never asks again for what it has asked for."""
        if (kind, key) not in self.asked:
            self.asked.add((kind, key))
            self.ask(kind, key)

    def sent(self, kind, key):
        self.pending.append((kind, key))

    def answered(self, kind, key):
        asked = (kind, key)
        if not self.pending or self.pending[0][0] != kind or key not in (None, self.pending[0][1]):
            is_late = any(p[0] == kind and key in (None, p[1]) for p in self.pending)
            need(not is_late, 'reply %s(%s) is out of order: first %s', kind, key, self.pending and self.pending[0])
            raise Violation('reply %s(%s) to a query that nobody sent' % asked)
        return self.pending.popleft()[1]

    def is_drained(self):
        return (not self.pending and not any(v is not None for v in self.staged.values()) and
                not self.frames_owed and
                (self.has_crashed or not any(line.stack for line in self.lines.values())))

    def why_not_drained(self):
        stuck = [k for k, v in self.staged.items() if v is not None]
        opened = ['%s of %s' % (len(l.stack), k) for k, l in self.lines.items() if l.stack]
        return 'unanswered: %s; staged and unused: %s; open zones: %s' % (
            list(self.pending)[:5], stuck, opened[:5])

    # ---- times, threads and staging slots ---------------------------------------------
    def tick(self, kind, value):
        if kind != 'A':
            line, form = kind[0], kind[1:]
            if line == 'T':
                need(self.thread is not None, 'a thread-relative time before any ThreadContext')
            if form == '32':
                value += SHORT
            elif form == 'b' and value >= 0:
                value += LONG
            value += self.reference[line]
            self.reference[line] = value
            if line == 'G':
                return value
        ns = int((value - self.welcome['init_begin']) * self.welcome['timer_mul'])
        need(0 <= ns < TIME_MAX, 'time %d ns is outside of 0 .. 2^47', ns)
        return ns

    def line(self):
        need(self.thread is not None, 'an item of a thread before any ThreadContext')
        self.want('ThreadString', self.thread)
        key = self.fiber_of.get(self.thread, self.thread)
        line = self.lines.get(key)
        if line is None:
            line = self.lines[key] = Line()
        return line

    def stage(self, slot, value):
        need(self.staged[slot] is None, 'a staged %s was never used', slot)
        self.staged[slot] = value

    def take(self, slot, user):
        value = self.staged[slot]
        need(value is not None, '%s without the %s that it needs', user, slot)
        self.staged[slot] = None
        return value

    def innermost(self, name):
        line = self.line()
        need(line.stack, '%s without an open zone in thread %d', name, self.thread)
        zone = line.stack[-1]
        need(zone['id'] == line.next_id, '%s with validation id %d in a zone of %d', name, line.next_id, zone['id'])
        line.next_id = 0
        return zone

    def add(self, kind, **values):
        self.rows.append(dict(values, kind=kind))

    def feed(self, item, v, text):
        name = item.name
        self.n_items += 1
        for key, kind in item.times.items():
            v[key] = self.tick(kind, v[key])
        need(not self.is_ended or name in AFTER_END, '%s after Terminate', name)
        handler = HANDLERS.get(name)
        need(handler, 'the server has no rule for %s', name)
        handler(self, name, v, text)

    # ---- threads, zones ---------------------------------------------------------------
    def thread_context(self, name, v, text):
        need(v['thread'] != 0, 'ThreadContext 0')
        self.thread = v['thread']
        self.reference['T'] = 0

    def group_hint(self, name, v, text):
        need(('ThreadString', v['thread']) in self.asked, 'ThreadGroupHint of thread %d that has sent nothing', v['thread'])
        self.groups[v['thread']] = v['group']

    def zone_begin(self, name, v, text):
        line = self.line()
        if 'Alloc' in name:
            place = self.dynamic_location(self.take('location', name))
        else:
            place = self.location(v['srcloc'])
        stack = self.use_callstack(line, name)
        need(line.last is None or v['time'] >= line.last, 'time goes back in thread %d: a zone begins at %d ns, after %s',
             self.thread, v['time'], line.last)
        line.last = v['time']
        line.stack.append({'begin': v['time'], 'place': place, 'id': line.next_id, 'text': [], 'value': [],
                           'name': None, 'colour': None, 'depth': len(line.stack), 'stack': stack})
        line.next_id = 0

    def zone_end(self, name, v, text):
        zone = self.innermost(name)
        line = self.lines[self.fiber_of.get(self.thread, self.thread)]
        need(v['time'] >= line.last, 'time goes back in thread %d: a zone ends at %d ns, after %d',
             self.thread, v['time'], line.last)
        line.last = v['time']
        line.stack.pop()
        zone['end'] = v['time']
        zone['thread'] = self.thread
        zone['fiber'] = self.fiber_of.get(self.thread)
        self.n_zones += 1
        self.add('zone', zone=zone)

    def location(self, key):
        need(key != 0, 'location 0')
        if key not in self.locations:
            self.locations[key] = None
            need(len(self.locations) <= LOCATIONS_MAX, 'more than %d static locations', LOCATIONS_MAX)
            self.want('SourceLocation', key)
        return key

    def dynamic_location(self, data):
        need(len(data) >= 10 and data.count(b'\0', 8) >= 2, 'a SourceLocationPayload without its two NULs')
        colour, line = struct.unpack_from('<II', data)
        need(colour < 1 << 24, 'a SourceLocationPayload with colour %x', colour)
        function, file, name = data[8:].split(b'\0', 2)
        self.dynamic.setdefault(data, {'name': text_of(name), 'function': text_of(function),
                                       'file': text_of(file), 'line': line, 'colour': colour})
        need(len(self.dynamic) <= LOCATIONS_MAX, 'more than %d dynamic locations', LOCATIONS_MAX)
        return data

    def zone_text(self, name, v, text):
        self.innermost(name)['text'].append(text_of(self.take('string', name)))

    def zone_name(self, name, v, text):
        self.innermost(name)['name'] = text_of(self.take('string', name))

    def zone_colour(self, name, v, text):
        self.innermost(name)['colour'] = colour_of(v)

    def zone_value(self, name, v, text):
        self.innermost(name)['value'].append(v['value'])

    def validation(self, name, v, text):
        self.line().next_id = v['id']

    def fiber_enter(self, name, v, text):
        need(v['thread'] == self.thread, 'FiberEnter of another thread than the current')
        need(v['thread'] not in self.fiber_of, 'FiberEnter in thread %d that runs a fiber', v['thread'])
        key = 'fiber %d' % v['fiber']
        need(key not in self.fiber_of.values(), '%s is entered on two threads', key)
        self.line()  # the thread is named
        self.want('FiberName', v['fiber'])
        fiber = self.fibers.setdefault(key, {'key': v['fiber'], 'last': 0, 'n_runs': 0})
        need(v['time'] >= fiber['last'], '%s goes back in time', key)
        fiber['last'] = v['time']
        fiber['n_runs'] += 1
        self.fiber_of[v['thread']] = key

    def fiber_leave(self, name, v, text):
        need(v['thread'] == self.thread, 'FiberLeave of another thread than the current')
        key = self.fiber_of.pop(v['thread'], None)
        need(key, 'FiberLeave in a thread that runs no fiber')
        need(v['time'] >= self.fibers[key]['last'], '%s leaves before it entered', key)
        self.fibers[key]['last'] = v['time']

    # ---- messages, plots, frames, the end -----------------------------------------------
    def message(self, name, v, text):
        row = {'thread': self.thread, 'time_ns': v['time'], 'colour': colour_of(v) if 'r' in v else None}
        metadata = v.get('metadata', 0)
        if 'Literal' in name:
            key = v['text']
            if self.protocol >= 77:
                metadata, key = key & 255, key >> 8
            need(key, '%s with text 0', name)
            self.want('String', key)
            row['text_key'] = key
        else:
            row['text'] = text_of(self.take('string', name))
        need(metadata >> 4 <= 5 and metadata & 15 <= 1, 'metadata %x of a message', metadata)
        if self.protocol >= 77:
            row['severity'] = metadata >> 4
        line = self.line()
        self.use_callstack(line, name)
        row_key = self.fiber_of.get(self.thread, self.thread)
        last = self.message_times.get(row_key, 0)
        need(v['time'] >= last, 'messages of %s go back in time, from %d to %d ns', row_key, last, v['time'])
        self.message_times[row_key] = v['time']
        self.add('message', **row)

    def app_info(self, name, v, text):
        self.add('app_info', text=text_of(self.take('string', name)))

    def plot(self, name, v, text):
        need(v['name'], 'a plot with name 0')
        self.want('PlotName', v['name'])
        self.add('plot', name_key=v['name'], time_ns=v['time'], value=v['value'])

    def plot_config(self, name, v, text):
        need(v['type'] <= 2 and v['step'] <= 1 and v['fill'] <= 1, 'PlotConfig %s', v)
        self.want('PlotName', v['name'])

    def frame(self, name, v, text):
        if v['name']:
            self.want('FrameName', v['name'])
        is_range = name != 'FrameMarkMsg'
        need(v['name'] or not is_range, '%s of the main frames', name)
        frames = self.frame_sets.setdefault(v['name'], {'is_range': is_range, 'last': 0, 'open': False})
        need(frames['is_range'] == is_range, 'frame set %d has marks and ranges', v['name'])
        need(v['time'] >= frames['last'], 'frame set %d goes back in time', v['name'])
        frames['last'] = v['time']
        if is_range:
            need(frames['open'] == (name == 'FrameMarkMsgEnd'), '%s of set %d', name, v['name'])
            frames['open'] = not frames['open']
        self.add('frame', name_key=v['name'], time_ns=v['time'], type=name[len('FrameMarkMsg'):].lower() or 'mark')

    def crash_report(self, name, v, text):
        self.line()
        need(v['text'], 'CrashReport with text 0')
        self.want('String', v['text'])
        self.add('crash', thread=self.thread, time_ns=v['time'], text_key=v['text'])

    def crash(self, name, v, text):
        self.has_crashed = True

    def terminate(self, name, v, text):
        for number, context in self.gpu.items():
            need(not context['queries'] and not any(context['rows'].values()), 'GPU context %d has open zones at the end', number)
        need(not self.fiber_of, 'fibers are still entered at the end: %s', self.fiber_of)
        need(not any(f['open'] for f in self.frame_sets.values()), 'frames are still open at the end')
        self.is_ended = True

    def nothing(self, name, v, text):
        pass

    # ---- strings and replies --------------------------------------------------------------
    def string(self, name, v, text):
        self.stage('second' if 'Second' in name else 'string', text)

    def reply(self, name, v, text):
        kind = REPLIES[name]
        if kind == 'ExternalName':
            need(self.external == v['ptr'], 'ExternalName without its ExternalThreadName')
            self.external = None
        key = self.answered(kind, v['ptr'])
        self.names[kind][key] = text_of(text)

    def external_thread(self, name, v, text):
        need(self.pending and self.pending[0] == ('ExternalName', v['ptr']), 'ExternalThreadName(%d) out of order', v['ptr'])
        self.external = v['ptr']

    def source_location(self, name, v, text):
        key = self.answered('SourceLocation', None)
        for part in ('name', 'function', 'file'):
            if v[part]:
                self.want('String', v[part])
        self.locations[key] = dict(v, colour=colour_of(v))

    def acknowledge(self, name, v, text):
        need(self.pending and self.pending[0][0] in ('Parameter', 'DataTransfer', 'DataTransferPart'),
             'AckServerQueryNoop for %s', self.pending and self.pending[0])
        self.pending.popleft()

    # ---- callstacks and symbols -------------------------------------------------------------
    def payload(self, name, v, text):
        self.stage('location' if name == 'SourceLocationPayload' else 'callstack', text)
        if name == 'CallstackPayload':
            need(len(text) and len(text) % 8 == 0, 'a callstack of %d bytes', len(text))
            for (address,) in struct.iter_unpack('<Q', text):
                need(address >> 62 == address >> 60 & 3, 'address %x is not canonical', address)
                self.want('CallstackFrame', address)

    def callstack(self, name, v, text):
        stack = self.take('callstack', name)
        if name == 'CallstackSerial':
            need(not self.has_serial_callstack, 'CallstackSerial twice')
            self.has_serial_callstack = True
        else:
            line = self.line()
            need(not line.has_callstack, 'Callstack twice')
            line.has_callstack = stack

    def use_callstack(self, line, name):
        need(bool(line.has_callstack) == ('Callstack' in name), '%s: a callstack is %s', name,
             'left over' if line.has_callstack else 'missing')
        stack, line.has_callstack = line.has_callstack, False
        return stack or None

    def sample(self, name, v, text):
        self.take('callstack', name)
        self.want('ThreadString', v['thread'])

    def frame_size(self, name, v, text):
        self.image = text_of(self.take('string', name))
        need(self.frames_owed == 0 and v['size'] > 0, 'CallstackFrameSize %d while %d frames are due', v['size'], self.frames_owed)
        self.frame_key = self.answered('CallstackFrame', v['ptr'])
        self.frames_owed = v['size']

    def callstack_frame(self, name, v, text):
        function, file = text_of(self.take('string', name)), text_of(self.take('second', name))
        need(self.frames_owed, 'CallstackFrame that nobody waits for')
        self.stacks.setdefault(self.frame_key, []).append(
            {'function': function, 'file': file, 'line': v['line'], 'image': self.image})
        self.frames_owed -= 1
        if v['address']:
            self.want('Symbol', v['address'])

    def symbol(self, name, v, text):
        self.take('string', name)
        self.answered('Symbol', v['address'])

    # ---- locks: as servers count waiters and holders, where they only assert ------------------
    def serial(self, name):
        need(self.has_serial_callstack == ('Callstack' in name), '%s: callstack left over or missing', name)
        self.has_serial_callstack = False

    def lock_announce(self, name, v, text):
        need(v['id'] not in self.locks and v['type'] <= 1, 'lock %d announced twice', v['id'])
        self.location(v['location'])
        self.locks[v['id']] = {'threads': set(), 'last': 0, 'is_shared': v['type'] == 1, 'waiting': set(), 'name': None,
                               'waiting_shared': set(), 'sharing': set(), 'owner': None, 'depth': 0, 'is_gone': False,
                               'place': v['location'], 'obtained': 0}

    def known_lock(self, name, v):
        need(v['id'] in self.locks, '%s of lock %d that was not announced', name, v['id'])
        lock = self.locks[v['id']]
        need(not lock['is_gone'], '%s of lock %d that was terminated', name, v['id'])
        return lock

    def lock_name(self, name, v, text):
        self.known_lock(name, v)['name'] = text_of(self.take('string', name))

    def lock_terminate(self, name, v, text):
        lock = self.known_lock(name, v)
        need(v['time'] >= lock['last'], 'lock %d ends before its last event', v['id'])
        lock['is_gone'] = True

    def lock_mark(self, name, v, text):
        need(v['thread'] in self.known_lock(name, v)['threads'], 'LockMark without a wait to mark')
        self.location(v['srcloc'])

    def lock(self, name, v, text):
        lock = self.known_lock(name, v)
        need('Shared' not in name or lock['is_shared'], '%s of lock %d that is not shared', name, v['id'])
        need(v['time'] >= lock['last'], 'lock %d goes back in time', v['id'])
        lock['last'] = v['time']
        thread = v.get('thread')
        if thread is not None:
            need(thread, '%s of thread 0', name)
            lock['threads'].add(thread)
            self.want('ThreadString', thread)
            need(len(lock['threads']) <= 64, 'more than 64 threads at lock %d', v['id'])
        shared = '_shared' if 'Shared' in name else ''
        if name.endswith('Wait'):
            lock['waiting' + shared].add(thread)
        elif name.endswith('Obtain'):
            need(thread in lock['waiting' + shared], '%s of lock %d without a wait', name, v['id'])
            lock['waiting' + shared].remove(thread)
            lock['obtained'] += 1
            if shared:
                need(thread not in lock['sharing'], 'thread %d shares lock %d twice', thread, v['id'])
                need(not lock['depth'], 'lock %d is shared while somebody has it alone', v['id'])
                lock['sharing'].add(thread)
            else:
                need(lock['depth'] < 255 and (not lock['depth'] or lock['owner'] == thread), 'lock %d has two owners', v['id'])
                need(not lock['sharing'], 'lock %d is taken while others share it', v['id'])
                lock['owner'], lock['depth'] = thread, lock['depth'] + 1
        elif shared:
            need(thread in lock['sharing'], '%s of lock %d by one who does not have it', name, v['id'])
            lock['sharing'].remove(thread)
        else:
            need(lock['depth'], '%s of lock %d that nobody has', name, v['id'])
            lock['depth'] -= 1

    # ---- memory ---------------------------------------------------------------------------------
    def memory(self, name, v, text):
        key = self.take('memory', name) if 'Named' in name else 0
        need(key or 'Named' not in name, '%s with pool name 0', name)
        if key:
            self.want('String', key)
        pool = self.pools.setdefault(key, {'live': set(), 'last': 0, 'allocs': 0, 'frees': 0})
        self.serial(name)
        self.want('ThreadString', v['thread'])
        need(v['time'] >= pool['last'], 'memory pool %d goes back in time', key)
        pool['last'] = v['time']
        if 'Alloc' in name:
            need(v['ptr'] and v['ptr'] not in pool['live'], 'address %x allocated twice', v['ptr'])
            pool['live'].add(v['ptr'])
            pool['allocs'] += 1
        else:
            need(not v['ptr'] or v['ptr'] in pool['live'], 'free of unknown address %x', v['ptr'])
            pool['live'].discard(v['ptr'])
            pool['frees'] += 1

    def memory_name(self, name, v, text):
        self.stage('memory', v['name'])

    def memory_discard(self, name, v, text):
        need(v['name'] in self.pools, 'MemDiscard of an unknown pool')
        self.serial(name)
        self.pools[v['name']]['live'].clear()

    # ---- devices ----------------------------------------------------------------------------------
    def gpu_context(self, name, v, text):
        newest = 10 if self.protocol >= 82 else 9 if self.protocol >= 76 else 8 if self.protocol >= 74 else \
            7 if self.protocol >= 71 else 5
        need(v['context'] not in self.gpu, 'GPU context %d twice', v['context'])
        need(0 < v['type'] <= newest + self.welcome['is_tt'], 'GPU context type %d is newer than the protocol', v['type'])
        need(v['period'] > 0 and v['flags'] <= 1, 'GPU context %s', v)
        self.gpu[v['context']] = {'queries': {}, 'rows': {}, 'thread': v['thread'], 'last': None, 'name': None,
                                  'period': v['period'], 'zero': v['time'] - v['period'] * v['gpu_time']}

    def gpu_known(self, name, v):
        need(v['context'] in self.gpu, '%s of unknown GPU context %d', name, v['context'])
        return self.gpu[v['context']]

    def gpu_named(self, name, v, text):
        self.gpu_known(name, v)['name'] = text_of(self.take('string', name))

    def gpu_time(self, name, v, text):
        context = self.gpu_known(name, v)
        need(v['query'] in context['queries'], 'GpuTime of unknown query %d', v['query'])
        zone, is_begin = context['queries'].pop(v['query'])
        last, context['last'] = context['last'], v['time']
        need(last is None or v['time'] >= last - (1 << 31), 'GPU context %d falls from %s to %d: a server takes it for a '
             'counter that has turned round', v['context'], last, v['time'])
        ns = int(v['time'] * context['period'] + context['zero'])
        need(0 <= ns < TIME_MAX, 'GPU time %d ns is outside of 0 .. 2^47', ns)
        if is_begin:
            around = zone['around']
            need(not around or around['begin'] <= ns, 'a GPU zone begins before the one around it')
            zone['begin'] = ns
        else:
            need(zone['begin'] is not None and ns >= zone['begin'], 'a GPU zone ends at %d, before it begins', ns)
            need(all(z <= ns for z in zone['inside']), 'a GPU zone ends before one inside of it')
            if zone['around']:
                zone['around']['inside'].append(ns)
            self.add('device', place=zone['place'], context=v['context'], thread=zone['thread'], begin_ns=zone['begin'],
                     end_ns=ns, depth=zone['depth'])

    def gpu_other(self, name, v, text):
        self.gpu_known(name, v)

    def gpu_zone(self, name, v, text):
        context = self.gpu_known(name, v)
        need(v['query'] not in context['queries'], 'GPU query %d used again before its time', v['query'])
        if 'Serial' in name:
            self.serial(name)
        stack = context['rows'].setdefault(v['thread'] if not context['thread'] else 0, [])
        if 'Begin' in name:
            if 'Alloc' in name:
                place = self.dynamic_location(self.take('location', name))
            else:
                place = self.location(v['srcloc'])
            zone = {'place': place, 'begin': None, 'thread': v['thread'], 'around': stack[-1] if stack else None,
                    'inside': [], 'depth': len(stack)}
            stack.append(zone)
        else:
            need(not context['thread'] or not v['thread'], 'GpuZoneEnd with a thread in a context of one thread')
            need(stack, 'GpuZoneEnd without a begin on this row')
            zone = stack.pop()
        context['queries'][v['query']] = (zone, 'Begin' in name)

    def switch(self, name, v, text):
        for tid in (v['old'], v['new']):
            if tid:
                self.want('ExternalName', tid)

    def section(self, name, v, text):
        if name != 'SectionLeave':
            self.take('string', name)
        if name != 'SectionSetup':
            need(v['id'], '%s with id 0', name)

    def named(self, name, v, text):
        self.want('String', v['name'])


def handlers():
    m, table = Model, {}
    for handler, names in (
            (m.thread_context, 'ThreadContext'), (m.group_hint, 'ThreadGroupHint'),
            (m.zone_begin, 'ZoneBegin ZoneBegin16 ZoneBegin32 ZoneBeginCallstack ZoneBeginCallstack16 '
             'ZoneBeginCallstack32 ZoneBeginAllocSrcLoc ZoneBeginAllocSrcLocCallstack'),
            (m.zone_end, 'ZoneEnd ZoneEnd16 ZoneEnd32'), (m.zone_text, 'ZoneText'),
            (m.zone_name, 'ZoneName'), (m.zone_colour, 'ZoneColor'), (m.zone_value, 'ZoneValue'),
            (m.validation, 'ZoneValidation'), (m.fiber_enter, 'FiberEnter'), (m.fiber_leave, 'FiberLeave'),
            (m.message, 'Message MessageColor MessageCallstack MessageColorCallstack MessageLiteral '
             'MessageLiteralColor MessageLiteralCallstack MessageLiteralColorCallstack'),
            (m.app_info, 'MessageAppInfo'), (m.plot, 'PlotDataInt PlotDataFloat PlotDataDouble'),
            (m.plot_config, 'PlotConfig'), (m.frame, 'FrameMarkMsg FrameMarkMsgStart FrameMarkMsgEnd'),
            (m.crash_report, 'CrashReport'), (m.crash, 'Crash'), (m.terminate, 'Terminate'),
            (m.nothing, 'KeepAlive FrameVsync SysTimeReport CpuTopology TidToPid ThreadWakeup '
             'HwSampleCpuCycle'),
            (m.string, 'SingleStringData SecondStringData SingleStringData8 SecondStringData8'),
            (m.reply, 'StringData ThreadName PlotName FrameName FiberName ExternalName'),
            (m.external_thread, 'ExternalThreadName'), (m.source_location, 'SourceLocation'),
            (m.acknowledge, 'AckServerQueryNoop'),
            (m.payload, 'SourceLocationPayload CallstackPayload CallstackAllocPayload'),
            (m.callstack, 'Callstack CallstackSerial CallstackAlloc'),
            (m.sample, 'CallstackSample CallstackSample16 CallstackSample32 CallstackSampleContextSwitch '
             'CallstackSampleContextSwitch16 CallstackSampleContextSwitch32'),
            (m.frame_size, 'CallstackFrameSize'), (m.callstack_frame, 'CallstackFrame'),
            (m.symbol, 'SymbolInformation'),
            (m.lock_announce, 'LockAnnounce'), (m.lock_terminate, 'LockTerminate'), (m.lock_name, 'LockName'),
            (m.lock_mark, 'LockMark'),
            (m.lock, 'LockWait LockObtain LockRelease LockSharedWait LockSharedObtain LockSharedRelease'),
            (m.memory, 'MemAlloc MemAllocNamed MemFree MemFreeNamed MemAllocCallstack '
             'MemAllocCallstackNamed MemFreeCallstack MemFreeCallstackNamed'),
            (m.memory_name, 'MemNamePayload'), (m.memory_discard, 'MemDiscard MemDiscardCallstack'),
            (m.gpu_context, 'GpuNewContext'),
            (m.gpu_named, 'GpuContextName'), (m.gpu_time, 'GpuTime'),
            (m.gpu_other, 'GpuCalibration GpuTimeSync GpuZoneAnnotation'),
            (m.gpu_zone, 'GpuZoneBegin GpuZoneBeginSerial GpuZoneBeginAllocSrcLoc '
             'GpuZoneBeginAllocSrcLocSerial GpuZoneEnd GpuZoneEndSerial'),
            (m.switch, 'ContextSwitch'), (m.section, 'SectionSetup SectionEnter SectionLeave'),
            (m.named, 'SysPowerReport ParamSetup')):
        for name in names.split():
            table[name] = handler
    return table


HANDLERS = handlers()
