/** The longest tag, in characters. */
export const maxTagCharacters = 64

/** Characters that hide, break or reverse the text after them. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Surrogate}]/u

/** Whether lists can show a text as one line. */
export function isPrintable(text: string): boolean {
  return !unprintable.test(text)
}
