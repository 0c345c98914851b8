import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/**
 * How hard a password is to guess. Forms and server decide with the same code. The dictionary is large: import this
 * module only when a password is typed or set.
 */

/** Zxcvbn's score of a password that resists 10^8 guesses. */
const strongScore = 3

/** The beginning decides; checking a long text would take too long. */
const checkedLength = 64

const translations = {
  warnings: {
    straightRow: 'Keys in a row are easy to guess.',
    keyPattern: 'Short patterns on the keyboard are easy to guess.',
    simpleRepeat: 'Repeated characters like "aaa" are easy to guess.',
    extendedRepeat: 'Repeated patterns like "abcabc" are easy to guess.',
    sequences: 'Sequences like "abc" or "1234" are easy to guess.',
    recentYears: 'Recent years are easy to guess.',
    dates: 'Dates are easy to guess.',
    topTen: 'This is one of the most common passwords.',
    topHundred: 'This is a very common password.',
    common: 'This is a common password.',
    similarToCommon: 'This is similar to a common password.',
    wordByItself: 'Single words are easy to guess.',
    namesByThemselves: 'Names are easy to guess.',
    commonNames: 'Common names are easy to guess.',
    userInputs: 'It contains your name, your user id or your e-mail address.',
    pwned: 'This password was published.',
  },
  suggestions: {
    l33t: 'Substitutions like "@" for "a" do not help much.',
    reverseWords: 'Reversed spelling does not help much.',
    allUppercase: 'Uppercase throughout does not help much.',
    capitalization: 'A capital at the beginning does not help much.',
    dates: 'Avoid dates and years that are connected to you.',
    recentYears: 'Avoid recent years.',
    associatedYears: 'Avoid years that are connected to you.',
    sequences: 'Avoid sequences.',
    repeated: 'Avoid repeated words and characters.',
    longerKeyboardPattern: 'Use a longer pattern with more turns.',
    anotherWord: 'Add more words that are less common.',
    useWords: 'Use several words.',
    noNeed: 'Symbols, digits and capitals are not necessary.',
    pwned: 'Choose another password.',
  },
  timeEstimation: {
    ltSecond: 'less than a second',
    second: '1 second',
    seconds: '{base} seconds',
    minute: '1 minute',
    minutes: '{base} minutes',
    hour: '1 hour',
    hours: '{base} hours',
    day: '1 day',
    days: '{base} days',
    month: '1 month',
    months: '{base} months',
    year: '1 year',
    years: '{base} years',
    centuries: 'centuries',
  },
}

let factory: ZxcvbnFactory | undefined

export interface PasswordStrength {
  /** From 0, the first guess, to 4. */
  score: number
  /** Whether gpuq accepts the password. */
  strong: boolean
  /** Why it is weak and what helps, as sentences. */
  advice: string[]
}

/** Rates a password. `about` has texts about its user, such as name and e-mail address, which others know. */
export function ratePassword(password: string, about: readonly (string | null)[]): PasswordStrength {
  factory ??= new ZxcvbnFactory({
    dictionary,
    graphs: adjacencyGraphs,
    translations,
    maxLength: checkedLength,
  })
  const { score, feedback } = factory.check(password.normalize('NFKC'), knownWords(about))
  const advice = [feedback.warning, ...feedback.suggestions].filter((sentence) => sentence !== null)
  return { score, strong: score >= strongScore, advice }
}

/** The texts, their words, and their words without spaces between them. */
function knownWords(about: readonly (string | null)[]): string[] {
  const texts = about.flatMap((text) => text ?? [])
  const words = texts.flatMap((text) => {
    const parts = text.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length > 2)
    return [text, ...parts, parts.join('')]
  })
  return [...new Set([...words, 'gpuq'])]
}
