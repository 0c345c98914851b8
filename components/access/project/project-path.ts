/** The page of a project. */
export const projectPath = (projectId: string) => `/projects/${encodeURIComponent(projectId)}`
