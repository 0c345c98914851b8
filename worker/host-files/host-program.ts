/** Prints the variables that `conda env config vars set` stored, as a shell reads them. */
const readVariables = `import json, shlex, sys
for name, value in json.load(open(sys.argv[1])).get("env_vars", {}).items():
    print("unset " + name if value == "***unset***" else "export " + name + "=" + shlex.quote(value))`

/**
 * Activates a conda environment as `conda activate` does, and runs its Python. `$1` is the environment's directory, the
 * other arguments are the program's.
 */
const activation = `
CONDA_PREFIX=$1 CONDA_DEFAULT_ENV=\${1##*/} CONDA_SHLVL=1
shift
PATH=$CONDA_PREFIX/bin:$PATH
export CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_SHLVL PATH
if [ -r "$CONDA_PREFIX/conda-meta/state" ]; then
  eval "$(python -c '${readVariables}' "$CONDA_PREFIX/conda-meta/state")"
fi
for script in "$CONDA_PREFIX"/etc/conda/activate.d/*.sh; do
  if [ -r "$script" ]; then . "$script"; fi
done
exec python -u "$@"`

/** Scripts of packages are written for bash, which an image may lack. */
const inShell = 'if command -v bash > /dev/null; then exec bash --norc -c "$@"; else exec sh -c "$@"; fi'

/** The command that runs a script of the host, with a conda environment of the host or the image's Python. */
export function hostProgram(script: string, prefix: string | undefined): string[] {
  if (prefix === undefined) return ['python', '-u', script]
  return ['/bin/sh', '-c', inShell, 'gpuq', activation, 'gpuq', prefix, script]
}
