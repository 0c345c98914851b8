/** Prints progress for the user: one line per step, with a check mark and its duration. */

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** A step that takes less time prints only its final line. */
const quietMs = 1500
/** How often a step repeats its line in a pipe or log file, at most. */
const plainEveryMs = 10_000

/** @param {number} ms */
export function formatDuration(ms) {
  const seconds = ms / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  if (bytes < 1e6) return `${Math.round(bytes / 1e3)} kB`
  if (bytes < 1e9) return `${Math.round(bytes / 1e6)} MB`
  return `${(bytes / 1e9).toFixed(2)} GB`
}

/**
 * Cuts a line to the width of the terminal, so that it does not wrap and can be redrawn.
 * @param {string} text
 * @param {number} columns
 */
export function cutToWidth(text, columns) {
  const characters = [...text]
  return characters.length <= columns ? text : `${characters.slice(0, Math.max(0, columns - 1)).join('')}…`
}

/**
 * @typedef {(note: string) => void} Progress
 * @typedef {object} Report
 * @property {<T>(title: string, work: (progress: Progress) => Promise<T>, detail?: (value: T) => string, isGood?: (value: T) => boolean) => Promise<T>} step
 *   Runs `work` as one step and returns what it returns. The finished line adds `detail`; its mark is a cross when
 *   `work` throws, or when what it returns is not good.
 * @property {(text: string) => void} line Prints a line of its own.
 * @property {(text: string) => void} warn Prints a line that asks for attention.
 */

/**
 * @param {object} [options]
 * @param {{ write(text: string): unknown, isTTY?: boolean, columns?: number }} [options.out]
 * @param {() => number} [options.now] milliseconds
 * @param {boolean} [options.colour]
 * @returns {Report}
 */
export function createReport({
  out = process.stdout,
  now = () => performance.now(),
  colour = Boolean(out.isTTY) && !process.env.NO_COLOR,
} = {}) {
  /** @type {Set<{ title: string, note: string, started: number, printed: number }>} */
  const active = new Set()
  let drawn = 0
  let frame = 0
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const paint = (/** @type {string} */ code, /** @type {string} */ text) =>
    colour ? `\u001b[${code}m${text}\u001b[0m` : text

  function erase() {
    if (drawn > 0) out.write(`\u001b[${drawn}A\u001b[0J`)
    drawn = 0
  }

  function draw() {
    erase()
    const shown = [...active].filter((step) => now() - step.started >= quietMs)
    for (const step of shown) {
      const note = step.note ? ` · ${step.note}` : ''
      const text = `${step.title}${note} · ${formatDuration(now() - step.started)}`
      out.write(
        `  ${paint('36', frames[frame % frames.length] ?? '')} ${cutToWidth(text, (out.columns ?? 80) - 5)}\n`,
      )
    }
    drawn = shown.length
  }

  function tickPlain() {
    for (const step of active) {
      if (now() - step.started < quietMs || now() - step.printed < plainEveryMs) continue
      step.printed = now()
      const note = step.note ? `: ${step.note}` : ''
      out.write(`  … ${step.title}${note} (${formatDuration(now() - step.started)})\n`)
    }
  }

  function tick() {
    frame += 1
    if (out.isTTY) draw()
    else tickPlain()
  }

  function print(/** @type {string} */ text) {
    if (out.isTTY) erase()
    out.write(`${text}\n`)
    if (out.isTTY) draw()
  }

  return {
    async step(title, work, detail, isGood = () => true) {
      const step = { title, note: '', started: now(), printed: Number.NEGATIVE_INFINITY }
      active.add(step)
      timer ??= setInterval(tick, out.isTTY ? 120 : 500)
      const finish = (/** @type {string} */ mark, /** @type {string} */ more) => {
        active.delete(step)
        if (active.size === 0) {
          clearInterval(timer)
          timer = undefined
        }
        const time = paint('2', formatDuration(now() - step.started))
        print(`  ${mark} ${title}${more ? `: ${more}` : ''}  ${time}`)
      }
      try {
        const value = await work((note) => {
          step.note = note
        })
        finish(isGood(value) ? paint('32', '✓') : paint('31', '✗'), detail?.(value) ?? '')
        return value
      } catch (error) {
        // Stopping on request is not a failure.
        const stopped = error instanceof Error && error.name === 'Stopped'
        finish(stopped ? '–' : paint('31', '✗'), stopped ? 'stopped' : '')
        throw error
      }
    },
    line: print,
    warn: (text) => print(`  ${paint('33', '!')} ${text}`),
  }
}
