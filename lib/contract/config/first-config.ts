interface FirstConfig {
  handle: string
  token: string
  project?: string
  competition?: string
}

/** A `config.yaml` for a first `solution.py`, with the user's token. */
export function configYaml({
  handle,
  token,
  project = 'my-project',
  competition = 'my-competition',
}: FirstConfig): string {
  const text = (value: string) => JSON.stringify(value)
  return [
    `competition_id: ${text(competition)}`,
    `project_id: ${text(project)}`,
    `user_id: ${text(handle)}`,
    'expected_time: 300  # seconds',
    `token: ${text(token)}`,
    '',
  ].join('\n')
}
