/** A Markdown file of `docs/` that the server shows as a page. */
export interface DocumentEntry {
  /** The address of the page: `/docs/SLUG`. */
  slug: string
  /** The name of the file in `docs/`. */
  file: string
  /** What a reader finds there. */
  description: string
  /** A long document has a page for each section of the second level. */
  pages?: true
}

interface DocumentGroup {
  title: string
  /** Its documents say how gpuq was made and measured, and not how to use it. */
  background?: true
  documents: readonly DocumentEntry[]
}

/** The documents that the server shows, in the order of reading. The other files of `docs/` are for developers. */
export const documentGroups: readonly DocumentGroup[] = [
  {
    title: 'Start here',
    documents: [
      {
        slug: 'first-job',
        file: 'first-job.md',
        description: 'For newcomers: run the sample, then your own program, and read the result.',
      },
      {
        slug: 'instructors',
        file: 'instructors.md',
        description: 'Run a class or a competition: accounts, limits, one project, results.',
      },
      {
        slug: 'admins',
        file: 'admins.md',
        description: 'The first day of a new server, and what to look at every week.',
      },
    ],
  },
  {
    title: 'Guides',
    documents: [
      {
        slug: 'user-guide',
        file: 'user-guide.md',
        description: 'Submit jobs, follow them, keep files, use Python, the command line and agents.',
        pages: true,
      },
      {
        slug: 'sweeps',
        file: 'sweeps.md',
        description:
          'Submit many jobs that differ in their parameters: sweeps, arrays, waves and repetitions.',
      },
      {
        slug: 'competitions',
        file: 'competitions.md',
        description:
          'Host a competition or an assignment with hidden data and a leaderboard, or take part in one.',
      },
      {
        slug: 'agents',
        file: 'agents.md',
        description: 'Let Claude Code, Codex or a script run experiments: connect, submit, wait, diagnose.',
      },
      {
        slug: 'admin-guide',
        file: 'admin-guide.md',
        description: 'Install, people, limits, nodes, storage, backup, monitoring and all variables.',
        pages: true,
      },
      {
        slug: 'one-machine',
        file: 'one-machine.md',
        description: 'Run the lines of a jobs.txt on your own machine with gpuq start.',
      },
      {
        slug: 'slurm',
        file: 'slurm.md',
        description: 'Use gpuq as the front end of an existing Slurm cluster.',
      },
      {
        slug: 'coming-from',
        file: 'coming-from.md',
        description: 'The commands of Slurm, task-spooler and scheduler.py, and those of gpuq.',
      },
    ],
  },
  {
    title: 'Background',
    background: true,
    documents: [
      {
        slug: 'scheduling',
        file: 'scheduling.md',
        description: 'How full the scheduler keeps a cluster, and how good its predictions are.',
      },
      {
        slug: 'scale',
        file: 'scale.md',
        description: 'How many nodes and jobs each engine can serve, as measured.',
      },
      {
        slug: 'performance',
        file: 'performance.md',
        description: 'How fast a job starts, and how to measure it on your machine.',
      },
      {
        slug: 'reliability',
        file: 'reliability.md',
        description: 'What was tried to break gpuq, and the results.',
      },
    ],
  },
]

/** Whether a document says how to use gpuq. */
export function isGuide({ slug }: Pick<DocumentEntry, 'slug'>): boolean {
  return documentGroups.some(
    ({ background, documents }) => !background && documents.some((document) => document.slug === slug),
  )
}

/** All documents, in the order of reading. */
export const documentEntries: readonly DocumentEntry[] = documentGroups.flatMap(({ documents }) => documents)
