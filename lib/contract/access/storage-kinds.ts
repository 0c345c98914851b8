/** The kinds of stored files, as people see them counted. */
export const storageKinds = ['artifacts', 'results', 'sources', 'archives', 'checkpoints', 'records'] as const

export type StorageKind = (typeof storageKinds)[number]

/** What each kind is called in sentences. */
export const storageKindNames = {
  artifacts: 'files of /results',
  results: 'output of jobs',
  sources: 'submitted programs',
  archives: 'uploaded directories',
  checkpoints: 'checkpoints',
  records: 'records in the database',
} as const satisfies Record<StorageKind, string>
