# SPDX-License-Identifier: BSD-3-Clause
"""seeds.py FOLDER: runs every Python example of the seeds as it stands there.

An example is a block of Markdown (```python) or of reStructuredText. What it takes as
given (a model, a device, data) is defined here; ttnn and iree are stand-ins.
"""
import glob
import os
import re
import sys
import textwrap

MARKDOWN = re.compile(r"^```python\n(.*?)^```", re.S | re.M)
RESTRUCTURED = re.compile(r"^\.\. +code-block:: python\n\n((?:    .*\n|\n)+)", re.M)

GIVEN = '''
import ttnn
import numpy
num_batches = 2
input_tensor = input_batch = inputs = 1
dataloader = [1, 2]
def model(x): return x
def train_step(batch): return batch
def run_inference(): pass
def post_proc(): pass
def my_expensive_function(): return 1
def child_function_1(): pass
def child_function_2(): pass
mesh_device = ttnn.open_mesh_device()
from iree.runtime import create_hal_device
class _Context:
    instance = None
    def __init__(self, device):
        self.modules = self
        self.module = {"main": lambda *inputs: inputs}
    def add_vm_module(self, module): pass
create_context = _Context
'''

# Examples that only define a function: called after them.
CALLS = {"run_inference(compiled_module, inputs)": "run_inference(b'', [1, 2])",
         "run_model_with_profiling(": "run_model_with_profiling(mesh_device, model, 1, 2, 11)"}


def examples(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.txt"))):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for i, block in enumerate(MARKDOWN.findall(text) + RESTRUCTURED.findall(text)):
            yield "%s_%d.py" % (os.path.basename(path)[:3], i + 1), textwrap.dedent(block)


# A module of that name, should it not be installed: one example imports it, unused.
try:
    import numpy
except ImportError:
    import types
    sys.modules["numpy"] = types.ModuleType("numpy")

n = 0
for name, source in examples(sys.argv[1]):
    space = {"__name__": name}
    exec(GIVEN, space)
    exec(compile(source, name, "exec"), space)
    for words, call in CALLS.items():
        if "def " + words in source:
            exec(call, space)
    n += 1
print("%d examples" % n)
