import { describe, expect } from 'vitest'
import { describeWait } from '@/lib/contract/reasons'
import { it } from './testing/lab-test'
import { expectAllTrue } from './testing/truth'

describe('retry_on', () => {
  it('a program that ends as retry_on names runs again while retries are left, and says why it waits', async ({
    openLab,
  }) => {
    const lab = await openLab()
    // The wait before the next attempt lasts until the test has seen it.
    await lab.database.pool.query(
      `CREATE FUNCTION wait_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.not_before = now() + interval '1 day'; RETURN NEW; END $$;
       CREATE TRIGGER wait_long BEFORE UPDATE ON jobs FOR EACH ROW WHEN (NEW.reason = 'backing_off' AND OLD.reason IS DISTINCT FROM 'backing_off')
         EXECUTE FUNCTION wait_long()`,
    )
    await lab.startWorker({ node: 'a', gpus: 2 })
    const attempt = 'import os\nprint("attempt", os.environ["GPUQ_ATTEMPT"], flush=True)'
    const eat = `${attempt}\nheld = []\nwhile os.environ["GPUQ_ATTEMPT"] == "1": held.append(bytearray(1 << 20))`
    const spec = { retry_on: ['75', 'out_of_memory'], memory_gb: 0.125 }
    const busy = await lab.jobs.submit(`${attempt}\nraise SystemExit(75)`, { spec, maxRetries: 1 })
    const large = await lab.jobs.submit(eat, { spec, maxRetries: 1 })
    for (const [job, cause] of [
      [busy, 'The program ended with an error. Exit code 75.'],
      [
        large,
        'The job used more memory than its limit and was stopped. The limit was 128 MiB; request more with memory_gb.',
      ],
    ] as const) {
      await lab.jobs.until('it was tried', async () => (await lab.jobs.row(job)).reason === 'backing_off')
      const { reasonDetail, ...row } = await lab.jobs.row(job)
      expect(row).toMatchObject({ status: 'pending', attempt: 1 })
      expect(describeWait('backing_off', reasonDetail)).toBe(
        `The last attempt failed. gpuq retries the job soon. ${cause} It is tried again, because retry_on names this.`,
      )
    }
    await lab.jobs.letAllGo()
    expect(await lab.jobs.untilFinal(busy)).toMatchObject({
      status: 'failed',
      reason: 'exit_code',
      exitCode: 75,
      attempt: 2,
    })
    expect(await lab.jobs.lines(busy)).toEqual(['attempt 2'])
    expect(await lab.jobs.untilFinal(large)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(large)).toEqual(['attempt 2'])
    await expectAllTrue(lab)
  })
})
