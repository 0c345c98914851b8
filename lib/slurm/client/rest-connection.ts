import { z } from 'zod'
import type { RestToken } from './rest-token'
import { toSlurmError } from './run-command'
import { SlurmRefusal, SlurmUnavailable } from './slurm-client'

/** Versions of slurmrestd's interface that this client knows. Only the first has been tested with a real slurmrestd. */
const knownVersions = [38, 39, 40, 41, 42, 43, 44]
/** Longer than slurmrestd's own limit towards the controller. */
const timeoutMs = 30_000

/** Codes of Slurm for a request that it refuses, and for one that slurmrestd cannot read. Others are about the connection. */
const refusalCodes = [
  [2000, 4999],
  [7000, 9999],
] as const

const restError = z.object({
  error: z.string().nullish(),
  description: z.string().nullish(),
  error_code: z.number().nullish(),
  error_number: z.number().nullish(),
})
const answer = z.looseObject({
  meta: z
    .looseObject({
      Slurm: z.looseObject({ release: z.string() }).optional(),
      slurm: z.looseObject({ release: z.string() }).optional(),
    })
    .optional(),
  errors: z.array(restError).nullish(),
})
type Answer = z.infer<typeof answer>

/** What slurmrestd can do. */
export interface RestApi {
  /** Such as 38 for `v0.0.38`. */
  version: number
  canUpdateNodes: boolean
  hasAccounting: boolean
}

export interface RestRequest {
  /** Below `/slurm/v0.0.38/`, or below `/slurmdb/v0.0.38/`. */
  path: string
  database?: boolean
  method?: 'GET' | 'POST' | 'DELETE'
  body?: unknown
  /** The account in whose name the request is; null: gpuq's own. */
  unixUser?: string | null
}

/** Requests to slurmrestd, with a token. */
export class RestConnection {
  readonly #url: string
  #api: Promise<RestApi> | undefined

  constructor(
    url: string,
    private readonly user: string,
    private readonly token: RestToken,
  ) {
    this.#url = url.replace(/\/+$/, '')
  }

  /** The newest version that both sides know. Asked once. */
  api(): Promise<RestApi> {
    this.#api ??= this.#discover()
      .catch(() => {
        this.token.forget()
        return this.#discover()
      })
      .catch((error: unknown) => {
        this.#api = undefined
        throw error
      })
    return this.#api
  }

  /**
   * Sends a request and returns the answer. A request that only reads is repeated once with a new token: slurmrestd does not
   * say whether it refused the token or has no controller.
   * @throws SlurmRefusal with Slurm's message; SlurmUnavailable if the request may have been carried out, or could not be sent
   */
  async request(request: RestRequest): Promise<Answer> {
    const { version } = await this.api()
    const base = request.database ? 'slurmdb' : 'slurm'
    const path = `/${base}/v0.0.${version}/${request.path}`
    try {
      return await this.#send(path, request)
    } catch (error) {
      if (error instanceof SlurmRefusal) throw error
      this.token.forget()
      if ((request.method ?? 'GET') !== 'GET') throw error
      return this.#send(path, request)
    }
  }

  async #send(path: string, { method = 'GET', body, unixUser = null }: RestRequest): Promise<Answer> {
    const text = await this.#fetch(path, { method, body, user: unixUser ?? this.user })
    const parsed = answer.safeParse(text.body)
    if (!parsed.success)
      throw new SlurmUnavailable(`slurmrestd answered ${text.status} without an answer of Slurm.`)
    const errors = parsed.data.errors ?? []
    // An accepted submission may have errors, such as that the job is held.
    const accepted = text.status === 200 && (errors.length === 0 || 'job_id' in parsed.data)
    if (!accepted) throw toRestError(errors, text.status)
    return parsed.data
  }

  async #fetch(path: string, options: { method: string; body?: unknown; user: string }) {
    const token = await this.token.get()
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method: options.method,
        headers: {
          'X-SLURM-USER-NAME': options.user,
          'X-SLURM-USER-TOKEN': token,
          ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        body: options.body === undefined ? undefined : JSON.stringify(options.body),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'error',
      })
      const text = await response.text()
      return { status: response.status, body: parseJson(text) }
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error
      throw new SlurmUnavailable(
        `slurmrestd does not answer: ${cause instanceof Error ? cause.message : cause}`,
      )
    }
  }

  async #discover(): Promise<RestApi> {
    const { status, body } = await this.#fetch('/openapi/v3', { method: 'GET', user: this.user })
    const document = z
      .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
      .safeParse(body)
    if (!document.success)
      throw new SlurmUnavailable(`slurmrestd answered ${status} to the request for its description.`)
    const { paths } = document.data
    // Later versions end some paths with a slash.
    const has = (path: string) => path in paths || `${path}/` in paths
    const version = knownVersions.filter((number) => has(`/slurm/v0.0.${number}/jobs`)).pop()
    if (version === undefined)
      throw new SlurmUnavailable(
        `slurmrestd has no interface that gpuq knows (v0.0.${knownVersions.join(', v0.0.')}). Start it with one, such as -s openapi/v0.0.38.`,
      )
    return {
      version,
      canUpdateNodes: 'post' in (paths[`/slurm/v0.0.${version}/node/{node_name}`] ?? {}),
      hasAccounting: has(`/slurmdb/v0.0.${version}/jobs`),
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The error for an answer of slurmrestd that is no success. */
export function toRestError(errors: readonly z.infer<typeof restError>[], status: number): Error {
  const codes = errors.map(({ error_code, error_number }) => error_code ?? error_number ?? -1)
  const messages = errors.flatMap(({ error, description }) => [error, description]).filter((text) => !!text)
  const error = toSlurmError([...new Set(messages)].join('\n') || `slurmrestd answered ${status}`)
  const isRefusal = codes.some((code) => refusalCodes.some(([first, last]) => code >= first && code <= last))
  return isRefusal ? error : new SlurmUnavailable(error.message)
}
