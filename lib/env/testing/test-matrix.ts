/**
 * The values with which a test runs: only the first ones in `npm test`, where each guarantee has one case; all of them in
 * `npm run test:release`.
 */
export function testedValues<T>(ordinary: readonly T[], repetitions: readonly T[]): T[] {
  return process.env.GPUQ_TEST_MATRIX === 'release' ? [...ordinary, ...repetitions] : [...ordinary]
}
