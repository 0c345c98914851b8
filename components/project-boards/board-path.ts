/** The page of the board of a project. */
export const boardPath = (projectId: string) => `/projects/${encodeURIComponent(projectId)}/leaderboard`
