const USERS = 40;
const PETS = 300;
const SEED = 20_261_128;

const FIRST_NAMES = split(
  'Ada Ben Cleo Dana Emil Fay Gus Hana Ivo June Kai Lena Milo Nora Otis Pia Quinn Rosa Sam Tess',
);
const LAST_NAMES = split('Berg Castro Dahl Eriksen Fontaine Grant Haddad Ito Jansen Keller Lowe Marino Novak Okafor');
const PET_NAMES = split(
  'Bella Max Luna Charlie Milo Coco Rocky Daisy Oscar Molly Buddy Lola Simba Ruby Leo Nala Toby Poppy Ziggy Willow ' +
    'Biscuit Pepper Hazel Otto Mochi Juno Pippin Olive Rex Smokey',
);
const BREEDS: Record<string, string[]> = {
  dog: ['Beagle', 'Border Collie', 'Dachshund', 'Greyhound', 'Labrador', 'Poodle'],
  cat: ['Bengal', 'Maine Coon', 'Persian', 'Ragdoll', 'Siamese'],
  rabbit: ['Dutch', 'Lionhead', 'Mini Lop'],
  bird: ['Budgerigar', 'Canary', 'Cockatiel'],
};
// Dogs and cats are kept more often than others.
const SPECIES = split('dog dog dog cat cat cat rabbit bird');
const STATUSES = split('available available pending sold');
const TAGS = split('calm curious good-with-children house-trained indoor playful senior shy vaccinated');

/** A user as `POST /v2/user` takes it. */
export interface DemoUser {
  username: string;
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  userStatus: number;
}

/** A pet in its two halves: as `POST /v1/pet` takes it, but for its owner, and as `PUT /v2/pet` does, but for its id. */
export interface DemoPet {
  /** Which of the users owns it. */
  owner: number;
  created: { name: string; species: string; breed: string };
  updated: {
    name: string;
    category: { id: number; name: string };
    photoUrls: string[];
    tags: { id: number; name: string }[];
    status: string;
  };
}

/** The same each time, so that what is tried or shown with it can be tried or shown again. */
export function demoData(): { users: DemoUser[]; pets: DemoPet[] } {
  const random = mulberry32(SEED);
  return {
    users: Array.from({ length: USERS }, (_, index) => user(random, index)),
    pets: Array.from({ length: PETS }, (_, index) => pet(random, index)),
  };
}

function user(random: () => number, index: number): DemoUser {
  const firstName = FIRST_NAMES[index % FIRST_NAMES.length]!;
  // Twenty first names and fourteen last names: forty users never share both.
  const lastName = LAST_NAMES[index % LAST_NAMES.length]!;
  const username = `${firstName}.${lastName}`.toLowerCase();
  // Numbers that Ofcom keeps for fiction.
  const phone = `+44 20 7946 0${String(Math.floor(random() * 1_000)).padStart(3, '0')}`;
  return { username, firstName, lastName, email: `${username}@mail.example`, phone, userStatus: 1 };
}

function pet(random: () => number, index: number): DemoPet {
  const name = pick(random, PET_NAMES);
  const species = pick(random, SPECIES);
  const breed = pick(random, BREEDS[species]!);
  const tags = TAGS.map((tag, at) => ({ id: at + 1, name: tag })).filter(() => random() < 0.25);
  const category = { id: Object.keys(BREEDS).indexOf(species) + 1, name: `${species}s` };
  const photoUrls = [`https://pets.example/photos/${index + 1}.jpg`];
  return {
    owner: Math.floor(random() * USERS),
    created: { name, species, breed },
    updated: { name, category, photoUrls, tags, status: pick(random, STATUSES) },
  };
}

function split(words: string): string[] {
  return words.split(' ');
}

function pick<T>(random: () => number, from: T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

/** Numbers from 0 to 1 that follow from the seed (mulberry32); not for secrets. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
