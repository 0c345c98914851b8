import { isAmountKey, isWordKey, keyNames, metricPrefix } from './search-keys'

/**
 * Says of a search that finds nothing which of its words look like keys and are none, so that they were searched as text; null if
 * there are none. A text in quotes is meant as one.
 */
export function describeUnknownKeys(search: string): string | null {
  const words = search
    .replaceAll(/"[^"]*("|$)/g, ' ')
    .matchAll(/(?<=^|\s)-?([\p{L}_][\p{L}\p{N}_.-]*):(?!\/\/)/gu)
  const names = Array.from(words, ([, name = '']) => name).filter((name) => !isKnown(name.toLowerCase()))
  const [first] = new Set(names)
  if (first === undefined) return null
  return `There is no key “${first.slice(0, 40)}”, so it was searched as text. The keys are ${keyNames.join(', ')}.`
}

const isKnown = (key: string) => isWordKey(key) || isAmountKey(key) || `${key}.`.startsWith(metricPrefix)
