/** Encodes a message of gpuq for a job's output: a stderr record with the prefix "gpuq:". */
export function encodeNote(text: string, at: Date, rank?: number): Buffer {
  return Buffer.from(
    `${JSON.stringify({ type: 'stderr', t: at.toISOString(), text: `gpuq: ${text}`, rank })}\n`,
  )
}
