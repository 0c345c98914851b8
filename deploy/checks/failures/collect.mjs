/**
 * Runs the programs of the failures in failures.yaml in containers of the default image, with the restrictions of a
 * job, and stores what they printed in outputs.json beside it: `node deploy/checks/failures/collect.mjs [ID…]`. It does not run those
 * that are `kept`, because they need other packages.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { defaultImage } from '../../image/image-recipes.mjs'

const run = promisify(execFile)
const corpus = new URL('./', import.meta.url)
const keptLines = 150
const user = 10001

/** @param {string[]} given */
async function docker(...given) {
  return (await run('docker', given, { maxBuffer: 64 << 20 })).stdout.trim()
}

/**
 * @param {any} failure
 * @param {string} directory of the host, with the files of the job
 * @param {number} rank
 * @param {string} network
 */
async function startRank(failure, directory, rank, network) {
  const { memory_mib = 1024, ranks = 1, nofile = 1024, pids = 1152, command } = failure
  const program = command === undefined ? ['python', '-u', '/job/solution.py'] : ['/bin/sh', '-c', command]
  const copied = failure.files === undefined ? [] : ['-v', `${join(directory, 'work')}:/work`]
  const own = `mode=0700,uid=${user},gid=${user}`
  return docker(
    ...['run', '-d', '--init', '--read-only', '--cap-drop', 'ALL', '--user', `${user}:${user}`],
    ...['--security-opt', 'no-new-privileges', '--network', network],
    ...(ranks > 1 ? ['--network-alias', `rank-${rank}`] : []),
    ...['--memory', `${memory_mib}m`, '--memory-swap', `${memory_mib}m`, '--shm-size', `${memory_mib / 2}m`],
    ...['--pids-limit', String(pids), '--ulimit', `nofile=${nofile}:${nofile}`, '--ulimit', 'core=0:0'],
    ...['-v', `${join(directory, 'job')}:/job:ro`, ...copied, '--workdir', '/work'],
    ...(copied.length > 0 ? [] : ['--tmpfs', `/work:exec,${own},size=${memory_mib / 2}m`]),
    ...['--tmpfs', `/results:${own}`, '--tmpfs', `/tmp:exec,mode=1777,size=${memory_mib / 4}m`],
    ...[
      '-e',
      'HOME=/work',
      '-e',
      `RANK=${rank}`,
      '-e',
      `WORLD_SIZE=${ranks}`,
      '-e',
      'MASTER_ADDR=rank-0',
      '-e',
      'MASTER_PORT=29500',
    ],
    ...['--entrypoint', program[0] ?? '', defaultImage, ...program.slice(1)],
  )
}

/**
 * Waits for the end of a container.
 * @param {string} id
 * @param {number | undefined} seconds its time limit
 */
async function readEnd(id, seconds) {
  const limit = seconds === undefined ? null : setTimeout(() => void docker('kill', id), seconds * 1000)
  await docker('wait', id)
  if (limit !== null) clearTimeout(limit)
  const [{ State }] = JSON.parse(await docker('inspect', id))
  const { stdout, stderr } = await run('docker', ['logs', '--timestamps', id], { maxBuffer: 64 << 20 })
  const lines = [...readLines(stdout), ...readLines(stderr)].sort((a, b) =>
    a.t < b.t ? -1 : a.t > b.t ? 1 : 0,
  )
  const reason = State.OOMKilled
    ? 'out_of_memory'
    : seconds === undefined
      ? State.ExitCode === 0
        ? 'finished'
        : 'exit_code'
      : 'timeout'
  return { exit_code: State.ExitCode, reason, ended_at: State.FinishedAt, lines: lines.slice(-keptLines) }
}

/** @param {string} text */
function readLines(text) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ t: line.slice(0, 30), text: line.slice(31) }))
}

/** @param {any} failure */
async function collect(failure) {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-failure-'))
  const { ranks = 1, code, files = {}, seconds } = failure
  const network = ranks > 1 ? `gpuq-failure-${failure.id}` : 'none'
  const ids = []
  try {
    await mkdir(join(directory, 'job'))
    await mkdir(join(directory, 'work'))
    if (code !== undefined) await writeFile(join(directory, 'job/solution.py'), code)
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, 'work', path)), { recursive: true })
      await writeFile(join(directory, 'work', path), text)
    }
    await run('chown', ['-R', `${user}:${user}`, join(directory, 'work')])
    await run('chmod', ['755', directory])
    if (ranks > 1) await docker('network', 'create', '--internal', network)
    for (let rank = 0; rank < ranks; rank++) ids.push(await startRank(failure, directory, rank, network))
    const ends = await Promise.all(ids.map((id) => readEnd(id, seconds)))
    // Times of lines matter only between ranks.
    return ends.map(({ lines, ...end }, rank) => ({
      rank,
      ...end,
      lines: lines.map(({ t, text }) => (ranks > 1 ? { t, text } : text)),
    }))
  } finally {
    if (ids.length > 0) await docker('rm', '-f', ...ids)
    if (ranks > 1) await docker('network', 'rm', network)
    await rm(directory, { recursive: true })
  }
}

const failures = parse(await readFile(new URL('failures.yaml', corpus), 'utf8'))
const file = new URL('outputs.json', corpus)
const outputs = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))
const wanted = new Set(process.argv.slice(2))
for (const failure of failures) {
  if (failure.kept || (failure.code === undefined && failure.command === undefined)) continue
  if (wanted.size > 0 && !wanted.has(failure.id)) continue
  outputs[failure.id] = await collect(failure)
  process.stderr.write(
    `${failure.id}: ${outputs[failure.id].map((/** @type {any} */ end) => `${end.reason} ${end.exit_code}`).join(', ')}\n`,
  )
}
const known = failures.flatMap(({ id }) => (id in outputs ? [[id, outputs[id]]] : []))
await writeFile(file, `${JSON.stringify(Object.fromEntries(known), null, 1)}\n`)
