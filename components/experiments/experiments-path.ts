/** The page of the experiments of a project. */
export const experimentsPath = (project: string) => `/experiments?${new URLSearchParams({ project })}`
