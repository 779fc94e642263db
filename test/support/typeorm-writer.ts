// Writes as TypeORM's documentation does, until it is killed: says "begun NAME" before, "stored NAME" or "failed NAME" after.
// With the argument `tell`: what is stored, as JSON.
import { writeSync } from 'node:fs';
import { Column, Entity, ManyToOne, OneToMany, PrimaryGeneratedColumn, type DataSource } from 'typeorm';
import { loadConfig } from '../../src/platform/config';
import { openDatabase } from '../../src/platform/database';

@Entity()
class Author {
  @PrimaryGeneratedColumn() id: number;
  @Column({ type: 'text' }) name: string;
  @OneToMany(() => Book, (book) => book.author, { cascade: true }) books: Book[];
}

@Entity()
class Book {
  @PrimaryGeneratedColumn() id: number;
  @Column({ type: 'text' }) title: string;
  @ManyToOne(() => Author, (author) => author.books) author: Author;
}

const AT_ONCE = 100;
const ONE_FAILS_OF = 20;
const BOOKS = [{ title: 'One' }, { title: 'Two' }];

async function store(dataSource: DataSource, name: string, n: number): Promise<void> {
  if (n % 2 === 0) {
    await dataSource.getRepository(Author).save({ name, books: BOOKS.map((book) => ({ ...book })) });
    return;
  }
  await dataSource.transaction(async (manager) => {
    const author = await manager.save(Author, { name });
    // A repository beside the transaction belongs to it as well.
    await dataSource.getRepository(Book).insert(BOOKS.map((book) => ({ ...book, author })));
    if (n % ONE_FAILS_OF === 1) {
      throw new Error('on purpose');
    }
  });
}

async function main(): Promise<void> {
  const { database: config } = loadConfig({ DATABASE_URL: process.env.DATABASE_URL });
  const { dataSource } = await openDatabase({ database: config }, [Author, Book]);
  const say = (text: string) => writeSync(1, `${text}\n`);
  if (process.argv[2] === 'tell') {
    const authors = await dataSource.getRepository(Author).find({ relations: { books: true } });
    say(JSON.stringify(authors.map(({ name, books }) => ({ name, books: books.length }))));
    process.exit();
  }
  await dataSource.synchronize();
  const write = async (writer: number) => {
    for (let n = writer; ; n += AT_ONCE) {
      const name = `${process.pid}-${n}`;
      say(`begun ${name}`);
      await store(dataSource, name, n).then(
        () => say(`stored ${name}`),
        (error: Error) => say(error.message === 'on purpose' ? `failed ${name}` : `doubted ${name} ${error.message}`),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, writer) => write(writer)));
}

void main();
