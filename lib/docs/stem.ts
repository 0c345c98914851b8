/** The beginning of a word that its forms have in common: `wait` for `waiting` and `waits`. */
export function toStem(word: string): string {
  return word.length < 5 || word.includes('_') ? word : word.replace(/(?:ies|ing|ed|es|s|e)$/, '')
}
