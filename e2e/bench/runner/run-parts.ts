import { formatDuration } from '@/deploy/run/report.mjs'

/** What a part measured. */
export interface Measured {
  /** For people. */
  lines: readonly string[]
  /** For programs, by their keys. */
  figures: Readonly<Record<string, number>>
}

export interface PartOptions {
  /** How often each thing is measured. */
  rounds: number
  /** Clients that submit at the same time. */
  clients: number
  /** How long they submit. */
  seconds: number
  progress(note: string): void
}

/** A part of the bench. It can run alone. */
export interface Part {
  name: string
  /** It takes long, so only `--full` and `--only` run it. */
  full?: true
  /** About how long it takes on two cores, in seconds. */
  estimateS: number
  run(options: PartOptions): Promise<Measured>
}

/** What the parts measured until now. */
export interface Outcome {
  figures: Record<string, number>
  /** Why a part failed, in one line. */
  failed: Record<string, string>
  /** Parts for which no time was left. */
  leftOut: string[]
  /** How long each part took, in seconds. */
  tookS: Record<string, number>
}

interface RunOptions {
  options: Omit<PartOptions, 'progress'>
  /** Shows a part that runs: it prints its title, and its end. */
  step<T>(title: string, work: (progress: (note: string) => void) => Promise<T>): Promise<T>
  print(text: string): void
  /** Called after each part. */
  save(outcome: Outcome): Promise<void>
  /** The time for all parts. A part that would probably take longer than what is left of it does not start. */
  limitS?: number
  signal: AbortSignal
  /** In milliseconds. */
  now(): number
}

/** Runs the parts one after the other, until the signal. A part that fails does not end the others. */
export async function runParts(parts: readonly Part[], run: RunOptions): Promise<Outcome> {
  const { options, step, print, save, limitS = Number.POSITIVE_INFINITY, signal, now } = run
  const outcome: Outcome = { figures: {}, failed: {}, leftOut: [], tookS: {} }
  const began = now()
  for (const [index, part] of parts.entries()) {
    if (signal.aborted) break
    const { name, estimateS } = part
    const partBegan = now()
    if ((partBegan - began) / 1000 + estimateS > limitS) {
      outcome.leftOut.push(name)
      print(`${name}: left out, because no time is left. Measure it with: npm run bench -- --only ${name}\n`)
      await save(outcome)
      continue
    }
    const title = `${index + 1} of ${parts.length}: ${name}, about ${formatDuration(estimateS * 1000)}`
    try {
      const { lines, figures } = await step(title, (progress) => part.run({ ...options, progress }))
      requireNumbers(figures)
      Object.assign(outcome.figures, figures)
      print(`${lines.join('\n')}\n`)
    } catch (error) {
      if (signal.aborted) break
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
      outcome.failed[name] = reason
      print(`${name} failed: ${reason}\n`)
    }
    outcome.tookS[name] = Math.round((now() - partBegan) / 1000)
    await save(outcome)
  }
  return outcome
}

function requireNumbers(figures: Measured['figures']): void {
  for (const [key, value] of Object.entries(figures))
    if (!Number.isFinite(value)) throw new Error(`nothing was measured for ${key}`)
}
