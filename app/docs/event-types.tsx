/** The reference of events: each type with a real event, which a test makes (event-examples.test.ts). */
import { EVENT_TYPES } from '@/lib/catalog/event-types'
import { docsCopy as copy } from '../copy/docs'
import examples from './event-examples.json'
import { inline } from './markdown'
import { Example } from './operation'

export const EVENT_TYPES_ID = 'event-reference'

export const EventTypes = () => (
  <article id={EVENT_TYPES_ID} className="scroll-mt-14 border-line border-t py-10 lg:scroll-mt-6">
    <h3 className="font-semibold text-lg tracking-tight">{copy.eventTypes}</h3>
    <p className="mt-2 max-w-[46rem]">{copy.eventTypesHint}</p>
    <ul className="mt-4">
      {examples.map((example) => (
        <li key={example.type} className="grid gap-x-8 gap-y-2 border-line border-t py-3 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
          <div className="min-w-0">
            <h4 className="break-all font-medium font-mono text-[0.8125rem]">{example.type}</h4>
            <p className="mt-0.5 text-sm">{inline(EVENT_TYPES[example.type] ?? '')}</p>
          </div>
          <Example value={example} title={copy.exampleOf(example.type)} />
        </li>
      ))}
    </ul>
  </article>
)
