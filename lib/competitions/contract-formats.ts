import type { ScorerConfig } from './contract-config'

type Format = NonNullable<ScorerConfig['format']>

/** A file that a scoring program writes. */
export type ScoresFile = 'scores.json' | 'scores.txt' | 'results.json'

/** Where a scoring program finds and leaves its files. */
interface FormatPaths {
  /** The outputs of the entry. */
  outputs: string
  /** What it writes here is stored. */
  results: string
  /** The files of scores below {@link results}: the first one that there is counts. */
  files: readonly [ScoresFile, ...ScoresFile[]]
  /** Its own directory, and where it starts. Undefined: those of all jobs. */
  places?: { work: string; start: string }
}

const paths: Record<Format, FormatPaths> = {
  scores: { outputs: '/outputs', results: '/results', files: ['scores.json'] },
  codabench: {
    outputs: '/app/input/res',
    results: '/app/output',
    files: ['scores.json', 'scores.txt'],
    places: { work: '/app/program', start: '/app/program' },
  },
  gradescope: {
    outputs: '/autograder/submission',
    results: '/autograder/results',
    files: ['results.json'],
    places: { work: '/autograder/source', start: '/autograder' },
  },
}

/** A scoring program that was stored by an earlier version of gpuq has no format. */
export const formatOf = ({ format }: Pick<ScorerConfig, 'format'>): Format => format ?? 'scores'

export const pathsOf = (scorer: Pick<ScorerConfig, 'format'>): FormatPaths => paths[formatOf(scorer)]

/** The program of a Gradescope autograder, in its directory. */
export const autograderFile = 'run_autograder'

const labelsPath = '/labels'
const codabenchLabels = '/app/input/ref'

/** Codabench replaces these words of a command. */
const codabenchWords: Record<string, string> = {
  input: '/app/input',
  output: '/app/output',
  program: '/app/program',
  hidden: codabenchLabels,
  predictions: '/app/input/res',
  tmp: '/app/output',
}
const codabenchWord = new RegExp(`\\$(${Object.keys(codabenchWords).join('|')})\\b`, 'g')

/** The command that runs a scoring program. */
export function commandOf({ format, command }: Pick<ScorerConfig, 'format' | 'command'>): string {
  if (command === undefined) {
    const file = `${paths.gradescope.places?.work}/${autograderFile}`
    // As Gradescope does: a directory that was unpacked from a zip file may have lost the permission.
    return `chmod +x ${file} && exec ${file}`
  }
  if (format !== 'codabench') return command
  return command.replace(codabenchWord, (word, name: string) => codabenchWords[name] ?? word)
}

/**
 * The labels at the paths of a scoring program. Codabench has one directory of them.
 * @param labels snapshots by their paths below `/labels`
 */
export function labelsFor(
  scorer: Pick<ScorerConfig, 'format'>,
  labels: Record<string, string>,
): Record<string, string> {
  if (formatOf(scorer) !== 'codabench') return labels
  const all = Object.entries(labels)
  const [only] = all
  if (only && all.length === 1) return { [codabenchLabels]: only[1] }
  return Object.fromEntries(
    all.map(([path, snapshot]) => [codabenchLabels + path.slice(labelsPath.length), snapshot]),
  )
}
