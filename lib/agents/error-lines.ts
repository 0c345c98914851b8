const traceback = /^\s*Traceback \(most recent call last\)/
const error =
  /\b(?:\w*(?:error|exception)|fatal|fail(?:ed|ure)|panic|abort(?:ed)?|killed|core dumped|segmentation fault|out of memory|cannot|denied|not found|timed out|nan)\b/i

/** Tells which lines of an output look like errors. Call it for each line, in their order. */
export class ErrorLines {
  #inTraceback = false

  isError(line: string): boolean {
    if (traceback.test(line)) {
      this.#inTraceback = true
      return true
    }
    if (this.#inTraceback) {
      // The frames of a traceback are indented. The first line after them has the exception.
      this.#inTraceback = /^\s|^$/.test(line)
      return true
    }
    return error.test(line)
  }
}
