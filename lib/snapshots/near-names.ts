import levenshtein from 'damerau-levenshtein'

const mostNamed = 5

/** The names that a user probably meant, the nearest first: with a few typing errors, or a part of the name. */
export function nearNames(name: string, known: readonly string[]): string[] {
  const allowed = Math.max(2, Math.floor(name.length / 3))
  return known
    .map((candidate) => ({ candidate, distance: distanceOf(name, candidate) }))
    .filter(({ distance }) => distance <= allowed)
    .toSorted((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, mostNamed)
    .map(({ candidate }) => candidate)
}

/** Typing errors; one if a name is the other's last part, or its beginning. */
function distanceOf(name: string, candidate: string): number {
  const [short, long] = name.length < candidate.length ? [name, candidate] : [candidate, name]
  const isPart = long.endsWith(`/${short}`) || (short.length >= 3 && long.startsWith(short))
  return isPart ? 1 : levenshtein(name, candidate).steps
}
