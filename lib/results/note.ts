/** A finished record of what gpuq itself has to say in a job's output: among its errors, and marked as gpuq's own. */
export function encodeNote(text: string, at: Date, rank?: number): Buffer {
  return Buffer.from(
    `${JSON.stringify({ type: 'stderr', t: at.toISOString(), text: `gpuq: ${text}`, rank })}\n`,
  )
}
