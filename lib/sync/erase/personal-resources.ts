/** Lists the resources with personal data, recognized by their fields. */
import { RESOURCE_NAMES, type ResourceName, resources } from '../../catalog'
import type { Resource } from '../../catalog/resource'
import { CUSTOMER_RESOURCES } from '../../listing/customer-orders'

/** The fields that identify a person: those that `identifyingTexts` reads, and the customer's ID. */
const PERSONAL_FIELDS = ['email', 'customerEmail', 'customerName', 'customerId', 'billing', 'shipping']

/** Returns whether records with a schema can identify a person. */
export const isPersonal = ({ shape }: Resource['record']): boolean => PERSONAL_FIELDS.some((field) => field in shape)

/** The resources whose records can identify a person. */
export const PERSONAL_RESOURCES: ResourceName[] = RESOURCE_NAMES.filter((name) => isPersonal(resources[name].record))

const OWN_RULES: readonly ResourceName[] = [...CUSTOMER_RESOURCES, 'customers']

/** The personal resources except customers and their orders, which have their own rules. */
export const OTHER_PERSONAL_RESOURCES = PERSONAL_RESOURCES.filter((name) => !OWN_RULES.includes(name))
