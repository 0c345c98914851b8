import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { makeUser } from '@/lib/cluster/testing/rows'
import { makeCompetition, type TestCompetition } from '@/lib/competitions/testing/competition'
import { holdEntry } from '@/lib/competitions/testing/held-entries'
import type { Lab } from './testing/lab'
import { it, type LabFixtures } from './testing/lab-test'
import { listBelow } from './testing/list-below'
import { expectAllTrue } from './testing/truth'
import { storeArchive, type UploadedEntry } from './testing/uploaded-directory'

/** No program has it in its text, so whoever prints it has read the labels. */
const secret = `labels ${randomUUID()}`

/** Compares predictions with labels, and prints what it sees of the entry, of its own place and of the network. */
const scorer = `
import json, os
network = sorted(line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:])
def refused(attempt):
    try:
        attempt()
    except OSError:
        return True
programs = [os.path.join(at, name) for place in ("/outputs", "/inputs", "/labels", "/work", "/job", "/results", "/tmp")
            for at, _, names in os.walk(place) for name in names if name.endswith(".py")]
print(json.dumps({
    "outputs": sorted(os.path.join(at, name) for at, _, names in os.walk("/outputs") for name in names),
    "readOnly": all(refused(lambda: open(path, "a")) for path in ("/outputs/new", "/outputs/sub/pred.csv", "/labels/truth/y.csv")),
    "programs": programs, "directory": os.getcwd(), "network": network,
    "variables": sorted(name for name in os.environ if name.startswith("GPUQ_")),
}))
print('{"acc": 1, "priv": 1}')
secret, *truth = open("/labels/truth/y.csv").read().split("\\n")
inputs = open("/inputs/test/x.csv").read().split()
pred = open("/outputs/sub/pred.csv").read().split()
acc = sum(one == other for one, other in zip(pred, truth)) / len(truth)
with open(os.environ["GPUQ_SCORES"], "w") as file:
    json.dump({"acc": acc, "priv": len(inputs)}, file)
`

const files: Record<string, Record<string, UploadedEntry>> = {
  train: { 'x.csv': '0 1' },
  test: { 'x.csv': '1 2 3 4' },
  truth: { 'y.csv': `${secret}\n1\n0\n1\n0` },
  scorer: { 'score.py': scorer },
}

/** Three of four predictions are right. */
const honest = `
import os
numbers = [int(text) for text in open("/data/test/x.csv").read().split()]
os.makedirs("/results/sub")
open("/results/sub/pred.csv", "w").write("\\n".join(str(number % 2) for number in numbers[:3]) + "\\n1")
open("/results/model.bin", "w").write("not declared")
`

/** Says that it is the best, writes scores where a scoring program would, and prints all that it can read. */
const attack = `
import glob, json, os
print('{"acc": 1, "priv": 1}')
open("/results/scores.json", "w").write('{"acc": 1, "priv": 1}')
os.makedirs("/results/sub")
open("/results/sub/pred.csv", "w").write("no prediction")
def read(path):
    try:
        return open(path, "rb").read(1 << 20).decode("utf-8", "replace")
    except OSError:
        return ""
print("MOUNTS", sorted(line.split()[4] for line in open("/proc/self/mountinfo") if not line.split()[4].startswith(("/proc", "/sys", "/dev", "/etc"))))
print("TOP", [name for name in ("labels", "outputs", "inputs") if os.path.exists("/" + name)])
print("VARIABLES", sorted(name for name in os.environ if name.startswith("GPUQ_")))
print("NETWORK", sorted(line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]))
for pattern in ("/proc/*/environ", "/proc/*/cmdline", "/proc/*/mountinfo", "/proc/mounts", "/proc/keys", "/sys/fs/cgroup/*"):
    for path in glob.glob(pattern):
        print("READ", json.dumps(read(path)))
for place in ("/job", "/work", "/tmp", "/results", "/dev/shm", "/run", "/mnt", "/media", "/srv", "/home", "/root", "/labels", "/data"):
    for at, _, names in os.walk(place):
        for name in names:
            print("FILE", json.dumps(read(os.path.join(at, name))))
`

/** Hopes that the scoring program, or gpuq, follows a link to the labels. */
const link = `
import os
os.makedirs("/results/sub")
os.symlink("/labels/truth/y.csv", "/results/sub/pred.csv")
`

/** As in a bundle for Codabench: relative paths, a file beside the program, and a page that it writes too. */
const codabenchProgram = `
import os, sys
from measure import accuracy
source, target = sys.argv[1:]
assert os.getcwd() == "/app/program" and os.path.exists("../input/res/sub/pred.csv")
secret, *truth = open(os.path.join(source, "ref", "y.csv")).read().split("\\n")
pred = open(os.path.join(source, "res", "sub", "pred.csv")).read().split()
with open(os.path.join(target, "scores.txt"), "w") as file:
    file.write("acc: %s\\npriv: %s\\n" % (accuracy(pred, truth), len(truth)))
open(os.path.join(target, "detailed_results.html"), "w").write("<p>good</p>")
`

/** As in the documentation of Gradescope: it copies the submission beside its tests, and starts there. */
const autograder = `#!/usr/bin/env bash
set -e
[ "$PWD" = /autograder ]
cp -r submission/sub source/
cd source
python3 run_tests.py > ../results/results.json
`

const autograderTests = `
import json
secret, *truth = open("/labels/truth/y.csv").read().split("\\n")
pred = open("sub/pred.csv").read().split()
tests = [{"name": "row %d" % row, "score": float(one == other), "max_score": 1, "visibility": "hidden"}
         for row, (one, other) in enumerate(zip(pred, truth))]
print(json.dumps({"tests": tests, "leaderboard": [{"name": "acc", "value": sum(test["score"] for test in tests) / 4}]}))
`

async function openCompetition(openLab: LabFixtures['openLab']) {
  const lab = await openLab()
  const competition = await lab.inDatabase(() =>
    makeCompetition({
      config: {
        scorer: {
          program: 'scorer',
          command: 'python score.py',
          outputs: [{ path: 'sub/pred.csv' }],
          columns: { acc: { split: 'public' }, priv: { split: 'private' } },
        },
      },
    }),
  )
  const { pool } = lab.database
  for (const [name, content] of Object.entries(files)) {
    const { archiveId } = await storeArchive(lab, competition.projectId, content)
    await pool.query('UPDATE snapshots SET archive_id = $2 WHERE id = $1', [
      competition.snapshots[name]?.id,
      archiveId,
    ])
  }
  // Ordinary jobs of this environment would have a network.
  await pool.query(`UPDATE environments SET network = 'internet'`)
  return { lab, competition }
}

async function submit(lab: Lab, competition: TestCompetition, code: string): Promise<string> {
  return lab.inDatabase(async () => {
    const userId = await makeUser()
    return holdEntry(competition, { userId, teamId: await competition.join({ id: userId }), code })
  })
}

async function untilEnded(lab: Lab, id: string) {
  return lab.jobs.until(`the entry ${id} has ended`, async () => {
    const { rows } = await lab.database.pool.query<{
      state: string
      cause: string | null
      detail: string | null
      scores: Record<string, number> | null
      job: string
      scoring: string | null
    }>(
      `SELECT e.state, e.cause, e.detail, r.scores, e.job_id AS job,
              (SELECT job_id FROM score_runs WHERE entry_id = e.id) AS scoring
         FROM entries e LEFT JOIN score_runs r ON r.id = e.score_run_id WHERE e.id = $1 AND e.ended_at IS NOT NULL`,
      [id],
    )
    return rows[0]
  })
}

it.for<{ product: string; spec: object; program: Record<string, UploadedEntry>; scores: object }>([
  {
    product: 'Codabench',
    spec: { format: 'codabench', command: 'python3 $program/scoring.py $input $output' },
    program: {
      'metadata.yaml': 'command: python3 $program/scoring.py $input $output',
      'scoring.py': codabenchProgram,
      'measure.py': 'accuracy = lambda pred, truth: sum(a == b for a, b in zip(pred, truth)) / len(truth)',
    },
    scores: { acc: 0.75, priv: 4 },
  },
  {
    product: 'Gradescope',
    spec: { format: 'gradescope', columns: { score: { split: 'private' }, acc: { split: 'public' } } },
    program: { run_autograder: autograder, 'run_tests.py': autograderTests },
    scores: { acc: 0.75, score: 3 },
  },
])(
  'a scoring program that was written for $product scores an entry unchanged',
  async ({ spec, program, scores }, { openLab }) => {
    const { lab, competition } = await openCompetition(openLab)
    const { archiveId } = await storeArchive(lab, competition.projectId, program)
    const { pool } = lab.database
    await pool.query('UPDATE snapshots SET archive_id = $2 WHERE id = $1', [
      competition.snapshots.scorer?.id,
      archiveId,
    ])
    await pool.query(`UPDATE competition_scorers SET spec = spec - 'command' || $2 WHERE id = $1`, [
      competition.scorerId,
      spec,
    ])
    await lab.startWorker({ node: 'a', gpus: 1 })
    const ended = await untilEnded(lab, await submit(lab, competition, honest))
    expect(ended).toMatchObject({ state: 'scored', scores, detail: null })
    await expectAllTrue(lab)
  },
)

it('entries of a competition: the scoring program sees the declared outputs and no program, and an entry sees neither labels nor a network and cannot set its scores', async ({
  openLab,
}) => {
  const { lab, competition } = await openCompetition(openLab)
  const worker = await lab.startWorker({ node: 'a', gpus: 3 })
  const ids = []
  for (const code of [honest, attack, link]) ids.push(await submit(lab, competition, code))
  const [good, evil, linked] = await Promise.all(ids.map((id) => untilEnded(lab, id)))

  expect(good).toMatchObject({ state: 'scored', scores: { acc: 0.75, priv: 4 }, detail: null })
  const [seen = ''] = await lab.jobs.lines(good?.scoring ?? '')
  expect(JSON.parse(seen)).toEqual({
    outputs: ['/outputs/sub/pred.csv'],
    readOnly: true,
    programs: ['/work/score.py', '/job/dir/score.py'],
    directory: '/work',
    network: ['lo'],
    variables: expect.arrayContaining(['GPUQ_SCORES']),
  })

  expect(evil).toMatchObject({ state: 'scored', scores: { acc: 0, priv: 4 } })
  const printed = await lab.jobs.lines(evil?.job ?? '')
  const after = (word: string) => printed.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1)
  expect(after('MOUNTS')).toContain("'/data/test', '/data/train'")
  expect(after('TOP')).toBe('[]')
  expect(after('VARIABLES')).toBe("['GPUQ_ATTEMPT', 'GPUQ_JOB_ID', 'GPUQ_RANK', 'GPUQ_SEED']")
  expect(after('NETWORK')).toBe("['lo']")
  const processes = printed.filter((line) => line.startsWith('READ '))
  expect(processes.length).toBeGreaterThan(3)
  expect(processes.filter((line) => /labels|truth|outputs|GPUQ_SCORES/.test(line))).toEqual([])
  expect(printed.filter((line) => line.startsWith('FILE ')).length).toBeGreaterThan(3)
  expect(printed.filter((line) => line.includes(secret))).toEqual([])

  expect(linked).toMatchObject({ state: 'failed', cause: 'outputs', scoring: null })
  expect(linked?.detail).toContain('not a regular file')

  await expectAllTrue(lab)
  await lab.jobs.until('nothing is left of the outputs on the node', async () =>
    (await listBelow(worker.options.dataDir)).every((path) => !path.includes('.outputs/')),
  )
})
