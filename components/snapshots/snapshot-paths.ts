/** The page of a project's snapshots. */
export const snapshotsPath = (projectId: string) => `/projects/${encodeURIComponent(projectId)}/snapshots`

/** The page of one snapshot's versions. The parts of its name are parts of the path. */
export const versionsPath = (projectId: string, name: string) =>
  `${snapshotsPath(projectId)}/${name.split('/').map(encodeURIComponent).join('/')}`
