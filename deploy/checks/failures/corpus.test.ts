import { describe, expect, it } from 'vitest'
import { diagnose } from '@/lib/contract/diagnosis/diagnose'
import { longestText, printDiagnosis } from '@/lib/contract/diagnosis/print-diagnosis'
import { findWrong, readFailures } from './corpus'

const failures = readFailures(import.meta.dirname)

describe('the diagnosis of a real failure', () => {
  it('names the right cause, place and next step for at least 95 of 100', () => {
    expect(failures.length).toBeGreaterThanOrEqual(570)
    const wrong = findWrong(failures)
    const share = 1 - wrong.length / failures.length
    expect(share, JSON.stringify(wrong, null, 1)).toBeGreaterThanOrEqual(0.95)
  })

  it.each(failures)('fits into 600 tokens with at most 12 lines of output: $id', ({ facts }) => {
    const found = diagnose(facts)
    expect(found?.evidence.length).toBeLessThanOrEqual(12)
    expect(found && printDiagnosis(found).length).toBeLessThanOrEqual(longestText)
    expect(found?.next_step.length).toBeLessThan(420)
  })
})
