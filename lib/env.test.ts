import { describe, expect, it } from 'vitest'
import { checkpointsDirectory, parseEnv } from './env'

describe('the environment', () => {
  it('names each wrong variable, and never repeats its value', () => {
    const wrong = () => parseEnv({ NODE_ENV: 'test', PORT: 'eighty', GPUQ_ADMIN_TOKEN: 'short-secret' })
    expect(wrong).toThrow(/PORT/)
    expect(wrong).toThrow(/GPUQ_ADMIN_TOKEN/)
    expect(wrong).not.toThrow(/short-secret/)
  })

  it('takes an empty variable for an unset one', () => {
    const { PORT, DATABASE_URL } = parseEnv({ NODE_ENV: 'test', PORT: '', DATABASE_URL: '' })
    expect(PORT).toBe(8001)
    expect(DATABASE_URL).toBeUndefined()
  })

  it('keeps checkpoints on the disk that is named for them, else in the bucket, else in the data directory', () => {
    const kept = (given: Record<string, string>) =>
      checkpointsDirectory(parseEnv({ NODE_ENV: 'test', GPUQ_DATA_DIR: '/data', ...given }))
    const bucket = { GPUQ_STORAGE: 's3://lab/gpuq' }
    expect(kept({})).toBe('/data/checkpoints')
    expect(kept(bucket)).toBeNull()
    expect(kept({ ...bucket, GPUQ_CHECKPOINTS_DIR: '/shared' })).toBe('/shared')
  })
})
