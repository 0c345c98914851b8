import { Badge } from '../ui/badge'
import { CodeExamples } from './code-examples'
import { AnchoredHeading } from './document-text'
import { TableRegion } from './table-region'

interface ApiField {
  name: string
  required: boolean
  type: string
  description: string
}

interface ApiOperationProps {
  operation: {
    id: string
    method: string
    path: string
    summary: string
    access: string
    parameters: readonly (ApiField & { in: string })[]
    body: { type: string; description: string; fields: readonly ApiField[] } | null
    responses: readonly {
      status: string
      description: string
      type: string | null
      fields: readonly ApiField[]
    }[]
    examples: { curl: string; python: string; javascript: string }
  }
}

/** One operation of the API: what it takes, what it returns, and an example. */
export function ApiOperation({ operation }: ApiOperationProps) {
  const { id, method, path, summary, access, parameters, body, responses, examples } = operation
  return (
    <section aria-label={summary} className="flex min-w-0 flex-col gap-3 border-t pt-4 pb-8">
      <AnchoredHeading level={2} id={id}>
        {summary}
      </AnchoredHeading>
      <p className="flex flex-wrap items-center gap-2">
        <Badge>{method}</Badge>
        <code className="wrap-anywhere font-mono text-sm">{path}</code>
      </p>
      <p className="text-muted text-sm">{access.replaceAll('`', '')}</p>
      {parameters.length > 0 ? (
        <FieldTable caption="Parameters" fields={parameters} placeOf={(parameter) => parameter.in} />
      ) : null}
      {body ? (
        <>
          <p className="text-sm">
            Body: <code className="font-mono">{body.type}</code>
            {body.description ? `, ${body.description}` : ''}
          </p>
          {body.fields.length > 0 ? <FieldTable caption="Fields of the body" fields={body.fields} /> : null}
        </>
      ) : null}
      <CodeExamples label={summary} examples={examples} />
      <ul className="flex flex-col gap-1 text-sm">
        {responses.map(({ status, description, type, fields }) => (
          <li key={status}>
            <code className="font-mono font-semibold">{status}</code> {description}
            {type === null ? null : <ResponseType type={type} fields={fields} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The name of a type of the document, also for a list of it; undefined for a type without a name. */
const namedType = (type: string) => /^([A-Z]\w*)(?:\[\])?$/.exec(type)?.[1]

/** A type with a name is a link to its fields, which several operations share. */
function ResponseType({ type, fields }: { type: string; fields: readonly ApiField[] }) {
  const name = namedType(type)
  if (fields.length === 0 || name !== undefined) {
    const text = <code className="font-mono">{type}</code>
    return name === undefined ? (
      <>: {text}</>
    ) : (
      <>
        :{' '}
        <a href={`#type-${name}`} className="text-accent-ink underline underline-offset-2">
          {text}
        </a>
      </>
    )
  }
  return (
    <div className="mt-2">
      <FieldTable caption="Fields of the response" fields={fields} />
    </div>
  )
}

/** The fields of all types that the responses of some operations name. */
export function ApiTypes({ operations }: { operations: readonly ApiOperationProps['operation'][] }) {
  const types = new Map(
    operations
      .flatMap(({ responses }) => responses)
      .flatMap(({ type, fields }) => {
        const name = type === null ? undefined : namedType(type)
        return name === undefined ? [] : [[name, fields] as const]
      }),
  )
  if (types.size === 0) return null
  return (
    <section aria-label="Types" className="flex flex-col gap-5 border-t pt-4">
      <AnchoredHeading level={2} id="types">
        Types
      </AnchoredHeading>
      {[...types].map(([name, fields]) => (
        <div key={name} className="flex min-w-0 flex-col gap-2">
          <AnchoredHeading level={3} id={`type-${name}`}>
            {name}
          </AnchoredHeading>
          <FieldTable caption={`Fields of ${name}`} fields={fields} />
        </div>
      ))}
    </section>
  )
}

interface FieldTableProps<Field extends ApiField> {
  caption: string
  fields: readonly Field[]
  /** Where a parameter is sent. */
  placeOf?: (field: Field) => string
}

function FieldTable<Field extends ApiField>({ caption, fields, placeOf }: FieldTableProps<Field>) {
  const cell = 'border-b px-3 py-1.5 align-top'
  return (
    <TableRegion aria-label={caption}>
      <caption className="sr-only">{caption}</caption>
      <thead className="bg-sunken text-xs">
        <tr>
          <th className={cell}>{placeOf ? 'Parameter' : 'Field'}</th>
          <th className={cell}>Type</th>
          <th className={cell}>Description</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <td className={cell}>
              <code className="font-mono">{field.name}</code>
              <span className="block text-subtle text-xs">
                {[placeOf?.(field), field.required ? 'required' : 'optional'].filter(Boolean).join(', ')}
              </span>
            </td>
            <td className={`${cell} wrap-break-word max-w-60 font-mono text-xs`}>{field.type}</td>
            <td className={`${cell} wrap-break-word text-muted`}>{field.description}</td>
          </tr>
        ))}
      </tbody>
    </TableRegion>
  )
}
