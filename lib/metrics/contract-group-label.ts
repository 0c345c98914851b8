/** A key to group by, in words: `tags`, `tag.KEY` or `config.PATH`. */
export function groupLabel(by: string): string {
  if (by === 'tags') return 'Tags'
  if (by.startsWith('tag.')) return `Tag ${by.slice('tag.'.length)}`
  const path = by.slice('config.'.length)
  return /^args\../.test(path) ? `Option ${path.slice('args.'.length)}` : `Config ${path}`
}
