import { noJobLimits } from '@/lib/contract/access/limits'
import { type Client, createClient } from '@/lib/http/client/client'
import { toStreams } from '../console/terminal'
import type { Context } from '../context'

interface FakeContext extends Context {
  client: Client
  written: { out: string; err: string }
}

/** A context whose server is a function, and whose terminal records the output. */
export function fakeContext(answer: (request: Request) => Response | Promise<Response>): FakeContext {
  const written = { out: '', err: '' }
  const connectTo = ({ server: baseUrl, token }: { server: string; token: string }) =>
    createClient({
      baseUrl,
      token,
      fetch: async (input, init) => answer(new Request(String(input), init)),
    })
  const client = connectTo({ server: 'http://gpuq.test', token: 'a-token' })
  return {
    written,
    env: { NODE_ENV: 'test' },
    terminal: {
      ...toStreams(
        async (content) => {
          written.out += Buffer.from(content).toString()
        },
        async (content) => {
          written.err += Buffer.from(content).toString()
        },
      ),
      outIsTerminal: false,
      errIsTerminal: false,
      screen: () => null,
      coloursWanted: true,
    },
    client,
    connect: async () => client,
    connectToJobs: async () => client,
    connectTo: async (connection) => connectTo(connection),
    isInteractive: false,
    openRaw: () => null,
    interrupted: () => new AbortController().signal,
    sleep: async () => {},
  }
}

/** An id as the server makes it. */
export const idOf = (number: number) => `0190a3b4-0000-7000-8000-${String(number).padStart(12, '0')}`

export const jobId = idOf(1)

/** A job in a list. */
export function summary(changes: object = {}) {
  return {
    job_id: jobId,
    name: 'baseline',
    status: 'completed',
    reason: 'finished',
    user_id: 'ada',
    user_name: null,
    competition_id: 'mnist',
    project_id: 'p1',
    environment: 'python',
    node_id: 0,
    node_name: 'lab-1',
    exit_code: 0,
    expected_time: 60,
    terminal: false,
    created_at: '2026-01-01T00:00:00Z',
    started_at: '2026-01-01T00:00:01Z',
    completed_at: '2026-01-01T00:01:31Z',
    ...changes,
  }
}

/** A job with all details. */
export function detail(changes: object = {}) {
  return {
    ...summary(),
    reason_text: 'The program ended with exit code 0.',
    placed: true,
    attempt: 1,
    max_retries: 2,
    max_time: 120,
    node_name: 'node-1',
    gpus: [],
    resources: {
      asked: {
        gpu_count: 0,
        gpu_fraction: null,
        gpu_memory_gb: null,
        gpu_model: null,
        instance_count: 1,
        cpu: null,
        memory_gb: null,
      },
      got: [],
      used: {
        gpu_load_mean: null,
        gpu_memory_peak_mib: null,
        cpu_cores_mean: null,
        memory_peak_mib: null,
      },
    },
    files_deleted: null,
    deleted_after_days: null,
    cancel_requested: false,
    result_file: null,
    output_bytes: 0,
    tags: [],
    command: null,
    run_id: null,
    submitted_with: null,
    run_name: null,
    archive: null,
    snapshot: null,
    mounts: [],
    priority: 0,
    provision: null,
    bucket: null,
    notice: null,
    ...changes,
  }
}

export const emptyUse = {
  used_bytes: 0,
  quota_bytes: null,
  by_kind: { artifacts: 0, results: 0, sources: 0, archives: 0, checkpoints: 0, records: 0 },
}

/** The owner of the jobs above, as the server describes them to themselves. */
export const self = {
  user_id: 'ada',
  email: null,
  name: null,
  role: 'researcher',
  disabled: false,
  invited: false,
  limits: { submissions_per_minute: null, max_active_jobs: null, ...noJobLimits },
  storage: emptyUse,
  storage_quota_gib: null,
  unix_uid: null,
  unix_gid: null,
  created_at: '2026-01-01T00:00:00Z',
  last_seen_at: null,
}
