// What the peers without a validation of their own hold bodies against.
const text = { type: ['string', 'null'], maxLength: 1_000 };
const id = { type: ['integer', 'null'], minimum: 0 };
const label = { type: ['object', 'null'], properties: { id, name: text } };

export const createPet = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 1_000 },
    owner_id: text,
    owner: { type: ['object', 'null'], properties: { id: text, name: text, species: text } },
    species: text,
    breed: text,
  },
};

export const updatePet = {
  type: 'object',
  required: ['id', 'name', 'photoUrls'],
  properties: {
    id: { type: 'integer', minimum: 1 },
    name: { type: 'string', minLength: 1, maxLength: 1_000 },
    category: label,
    photoUrls: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 2_000 } },
    tags: { type: ['array', 'null'], maxItems: 100, items: label },
    status: { type: ['string', 'null'], enum: ['available', 'pending', 'sold', null] },
  },
};

export const users = {
  type: 'array',
  maxItems: 1_000,
  items: {
    type: 'object',
    properties: {
      id,
      username: text,
      firstName: text,
      lastName: text,
      email: text,
      phone: text,
      password: text,
      userStatus: { type: ['integer', 'null'] },
    },
  },
};

export const pet = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    owner_id: { type: 'string' },
    owner: { type: 'object', additionalProperties: true },
    species: { type: 'string' },
    breed: { type: 'string' },
  },
};
