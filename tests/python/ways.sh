# SPDX-License-Identifier: BSD-3-Clause
# ways.sh PYTHON FOLDER: starts Python in every way; each of the ten calls marker() once.
set -eu
python=$1
cd "$2"
code='def marker(): pass
marker()'
printf '%s\n' "$code" >script.py
mkdir -p folder
cp script.py folder/__main__.py
"$python" -c 'import zipfile; zipfile.ZipFile("z.zip", "w").write("script.py", "__main__.py")'
"$python" script.py
"$python" -I -S -E script.py
"$python" -c "$code"
"$python" -Ic "$code"
"$python" -m script
printf '%s\n' "$code" | "$python"
printf '%s\n' "$code" | "$python" -
"$python" folder
"$python" z.zip
"$python" -X dev -W ignore -B -O script.py
