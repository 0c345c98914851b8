import { createHash } from 'node:crypto'

/** What makes two jobs the same: what runs, with what, and in which image. */
export interface JobContent {
  code: Buffer
  /** What a shell runs instead of the code. */
  command?: string | undefined
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** The environment's name: the default one's where the job names none. */
  environment: string
  /** Hash of the directory that came along. */
  archive?: string | undefined
}

/** SHA-256 over a job's content. Each part comes after its length, so that no two contents read the same. */
export function contentHash({ code, command, args, env, environment, archive }: JobContent): Buffer {
  const hash = createHash('sha256')
  const add = (part: Buffer | string) => {
    const bytes = Buffer.from(part)
    hash.update(`${bytes.length}:`).update(bytes)
  }
  const addAll = (parts: readonly string[]) => {
    hash.update(`${parts.length};`)
    for (const part of parts) add(part)
  }
  hash.update(command === undefined ? 'code ' : 'command ')
  add(command ?? code)
  addAll(args)
  addAll(
    Object.entries(env)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flat(),
  )
  add(environment)
  addAll(archive === undefined ? [] : [archive])
  return hash.digest()
}
