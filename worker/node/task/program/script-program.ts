/**
 * Runs the script `$1` with the program that its first line names, or with sh. The container decides, because only its image says
 * which programs exist. It is as lenient as people expect: `/usr/bin/bash` is also found as `/bin/bash`.
 *
 * A script with the line ends of Windows is rewritten where it is, so that it still finds the files beside it. That is the container's
 * copy of what the user has sent, and stderr says so.
 */
const launcher = `
gpuq_script=$1
shift
gpuq_cr=$(printf '\\r')
if grep -q "$gpuq_cr\\$" "$gpuq_script" 2> /dev/null; then
  gpuq_text=$(sed "s/$gpuq_cr\\$//" "$gpuq_script") && printf '%s\\n' "$gpuq_text" > "$gpuq_script" &&
    echo "gpuq: the lines of \${gpuq_script##*/} end with CR LF, as on Windows. This run uses a copy with LF." >&2
fi
gpuq_line=
IFS= read -r gpuq_line < "$gpuq_script"
case $gpuq_line in '#!'*) ;; *) exec /bin/sh "$gpuq_script" "$@" ;; esac
set -f
set -- \${gpuq_line#??} "$gpuq_script" "$@"
case $1 in
  "$gpuq_script") set -- /bin/sh "$@" ;;
  */env) shift; if [ "$1" = -S ]; then shift; fi ;;
esac
case $1 in -* | *=*) exec env "$@" ;; esac
if [ ! -x "$1" ]; then
  gpuq_program=\${1##*/}
  shift
  set -- "$gpuq_program" "$@"
fi
if ! command -v "$1" > /dev/null; then
  echo "gpuq: the first line of \${gpuq_script##*/} asks for $1, which the image of this job does not have. Change this line, or use an environment that has $1." >&2
  exit 127
fi
exec "$@"`

/** The file of a task's own directory that has a command whose first line names its program. */
export const commandFile = 'command'

/** The command that runs a script as its first line says. */
export function scriptProgram(path: string): string[] {
  return ['/bin/sh', '-c', launcher, 'gpuq', path]
}

/** A script as the launcher leaves it where it is. Equal to `script` if no line of it ends with a carriage return. */
export function rewrittenScript(script: Buffer): Buffer {
  // Latin-1 preserves every byte.
  const text = script.toString('latin1')
  const lines = text.replace(/\r(?=\n|$)/g, '')
  return lines === text ? script : Buffer.from(`${lines.replace(/\n+$/, '')}\n`, 'latin1')
}
