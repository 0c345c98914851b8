/** SQL condition: a scoring program has read the outputs of the entry `e`, well or not. */
export const hasScoredOutputs = `(e.state = 'scored' OR (e.state = 'failed' AND e.cause = 'scorer'))`
