/** The event reference: each event type with an example body, generated and verified by event-examples.test.ts. */
import { openApiDocument } from '@/lib/http/openapi/document'
import type { OperationObject } from '@/lib/http/openapi/types'
import { docsCopy as copy } from '../copy/docs'
import { renderInline } from './markdown'
import { Example } from './operation'

export const EVENT_TYPES_ID = 'event-reference'

const getExampleBody = (request?: OperationObject) =>
  Object.values(request?.requestBody?.content['application/json']?.examples ?? {})[0]?.value

export const EventTypes = () => (
  <article id={EVENT_TYPES_ID} className="scroll-mt-14 border-line border-t py-10 lg:scroll-mt-6">
    <h3 className="font-semibold text-lg tracking-tight">{copy.eventTypes}</h3>
    <p className="mt-2 max-w-[46rem]">{renderInline(copy.eventTypesHint)}</p>
    <ul className="mt-4">
      {Object.entries(openApiDocument().webhooks).map(([type, { post }]) => (
        <li key={type} className="grid gap-x-8 gap-y-2 border-line border-t py-3 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
          <div className="min-w-0">
            <h4 className="break-all font-medium font-mono text-[0.8125rem]">{type}</h4>
            <p className="mt-0.5 text-sm">{renderInline(post?.description ?? '')}</p>
          </div>
          <Example value={getExampleBody(post)} title={copy.exampleOf(type)} />
        </li>
      ))}
    </ul>
  </article>
)
