import { type Client, createClient } from '@/lib/http/client/client'
import type { System } from '../system/start-system'

/** The people and jobs that the pictures show: a small lab on a busy afternoon. */

export interface Researcher {
  handle: string
  password: string
  client: Client
}

export interface Scene {
  /** Looks at the pages: an admin who also trains models. */
  viewer: Researcher
  /** The viewer's running job. */
  runningJob: string
  /** Ended jobs of the viewer that trained the same model. */
  comparableJobs: readonly string[]
}

/** Prints like a training loop, one epoch in about `pause` seconds. It needs no GPU and no package. */
const training = `
import json, math, random, sys, time

model, epochs, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
random.seed(model)
print(f"\\033[1m{model}\\033[0m on \\033[36m50,000\\033[0m images, batch size 256, {epochs} epochs", flush=True)
for epoch in range(1, epochs + 1):
    loss = 2.1 * math.exp(-epoch / 14) + 0.21 + random.uniform(-0.02, 0.02)
    accuracy = 0.94 - 0.62 * math.exp(-epoch / 11) + random.uniform(-0.006, 0.006)
    rate = 0.1 * (1 + math.cos(math.pi * epoch / epochs)) / 2
    print(f"epoch {epoch:>3}  \\033[32mloss {loss:.4f}\\033[0m  accuracy {accuracy:.2%}  lr {rate:.4f}", flush=True)
    if epoch % 2 == 0:
        print(json.dumps({"epoch": epoch, "loss": round(loss, 4), "accuracy": round(accuracy, 4)}), flush=True)
    if epoch == 9:
        print("\\033[33mwarning:\\033[0m 3 images could not be decoded; they are skipped", file=sys.stderr, flush=True)
    time.sleep(pause)
`

const missingModule = 'import flash_attention_3\n'

interface Work {
  by: string
  name: string
  config: string
  code?: string
}

const arguments_ = (model: string, epochs: number, pause: number) =>
  `args: ["${model}", "${epochs}", "${pause}"]\n`

/** Jobs that end before the pictures are taken. */
const finished: Work[] = [
  {
    by: 'ada',
    name: 'ResNet-50, learning rate 0.05',
    config: `gpu_count: 1\ntags: [baseline]\n${arguments_('ResNet-50', 30, 0.02)}`,
  },
  {
    by: 'ada',
    name: 'ResNet-50, learning rate 0.1',
    config: `gpu_count: 2\ntags: [baseline]\nenv: {LEARNING_RATE: "0.1"}\n${arguments_('ResNet-50 wide', 30, 0.02)}`,
  },
  { by: 'ada', name: 'ResNet-50 with FlashAttention', config: 'gpu_count: 1\n', code: missingModule },
  {
    by: 'grace',
    name: 'Tokenizer statistics',
    config: `gpu_count: 0\ntags: [data]\n${arguments_('Tokenizer', 12, 0.02)}`,
  },
]

/** Jobs that run or wait while the pictures are taken. */
const live: Work[] = [
  {
    by: 'grace',
    name: 'ViT-B/16, warm-up sweep',
    config: `gpu_count: 4\nexpected_time: 5400\nenv: {SWEEP: warmup}\n${arguments_('ViT-B/16', 300, 3)}`,
  },
  {
    by: 'alan',
    name: 'Whisper fine-tune',
    config: `gpu_fraction: 0.5\nexpected_time: 2400\n${arguments_('Whisper small', 200, 3)}`,
  },
  {
    by: 'ada',
    name: 'ResNet-50, cosine schedule',
    config: `gpu_count: 2\nexpected_time: 600\ntags: [baseline, cosine]\n${arguments_('ResNet-50', 90, 1.5)}`,
  },
  {
    by: 'alan',
    name: 'Llama 3 8B, LoRA',
    config: `gpu_count: 4\nexpected_time: 7200\n${arguments_('Llama 3 8B', 400, 3)}`,
  },
  {
    by: 'grace',
    name: 'ViT-L/16 pre-training',
    config: `gpu_count: 4\nexpected_time: 9000\npriority: 1\n${arguments_('ViT-L/16', 400, 3)}`,
  },
]

/** Fills a fresh system. */
export async function setScene(system: System): Promise<Scene> {
  const admin = createClient({ baseUrl: system.url, token: system.adminToken })
  const people = new Map<string, Researcher>()
  for (const handle of ['ada', 'grace', 'alan']) {
    const password = `the password of ${handle} in the pictures`
    await admin.users.create({
      user_id: handle,
      email: `${handle}@example.org`,
      password,
      role: handle === 'ada' ? 'admin' : 'researcher',
    })
    const limits = { max_active_jobs: 10, submissions_per_minute: 60, max_priority: 1 }
    await admin.users.update(handle, { limits })
    const { token } = await admin.tokens.create({ user_id: handle, name: 'laptop' })
    people.set(handle, { handle, password, client: createClient({ baseUrl: system.url, token }) })
  }
  const submit = async (work: Work, wait: boolean) => {
    const person = people.get(work.by)
    if (!person) throw new Error(`Nobody is called ${work.by}.`)
    const competition = work.name.startsWith('ResNet') ? 'cifar-sprint' : 'vision-lab'
    const config = `competition_id: ${competition}\nproject_id: ${work.by}-thesis\nuser_id: ${work.by}\nname: "${work.name}"\n`
    const { job_id } = await person.client.jobs.submit({
      code: work.code ?? training,
      config: `${config}${work.config.includes('expected_time') ? '' : 'expected_time: 300\n'}${work.config}`,
      wait,
    })
    return job_id
  }
  const comparableJobs: string[] = []
  for (const work of finished) {
    const id = await submit(work, true)
    if (work.name.startsWith('ResNet-50, learning rate')) comparableJobs.push(id)
  }
  const ids: string[] = []
  for (const work of live) ids.push(await submit(work, false))
  const viewer = people.get('ada')
  const runningJob = ids[live.findIndex(({ by }) => by === 'ada')]
  if (!viewer || !runningJob) throw new Error('The scene has no job to look at.')
  return { viewer, runningJob, comparableJobs }
}
