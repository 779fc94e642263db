import { Controller, Delete, Get, Module, Param, Post, Query } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Int64 } from '../../src/platform/common/json';
import { NOT_FOUND, Problem } from '../../src/platform/common/problem';
import { CurrentCaller, Endpoint, IsName, IsText, MayBeAbsent, type Caller } from '../../src/platform/http';

/*
 * What the six operations of the specification lack, so that the table of operations is proven for it: parameters in
 * the path, a list, DELETE, a POST without a body, an integer beyond 2^53.
 */

class BookPath {
  @IsName() title: string;
}
class BooksQuery {
  @MayBeAbsent() @IsText() by?: string;
}
class BookView {
  @ApiProperty({ type: 'integer', format: 'int64' }) id: Int64;
  @ApiProperty() title: string;
}

@ApiTags('shelf')
@Controller({ path: 'shelf', version: '1' })
class ShelfController {
  private readonly books = new Map<string, BookView>();

  @Get('latest')
  @Endpoint({ access: 'anyone', summary: 'A literal beside a parameter', answer: { type: BookView } })
  latest(): BookView {
    return { id: 1, title: 'latest' };
  }

  @Post(':title/copies')
  @Endpoint({ access: 'anyone', summary: 'Add a copy', answer: { type: BookView } })
  addCopy(@Param() { title }: BookPath): BookView {
    const book = { id: 9_223_372_036_854_775_807n, title };
    this.books.set(title, book);
    return book;
  }

  @Get(':title')
  @Endpoint({ access: 'anyone', summary: 'A book', answer: { type: BookView }, problems: [NOT_FOUND] })
  book(@Param() { title }: BookPath): BookView {
    const book = this.books.get(title);
    if (!book) {
      throw new Problem(NOT_FOUND, 'There is no such book.');
    }
    return book;
  }

  @Get()
  @Endpoint({ access: 'anyone', summary: 'Books', answer: { type: [BookView] } })
  list(@Query() _query: BooksQuery): BookView[] {
    return [...this.books.values()];
  }

  @Delete(':title')
  @Endpoint({ access: 'token', summary: 'Remove a book' })
  remove(@Param() { title }: BookPath, @CurrentCaller() caller: Caller): void {
    if (!('user' in caller)) {
      throw new Problem(NOT_FOUND, 'Nobody of ours.');
    }
    this.books.delete(title);
  }
}

@Module({ controllers: [ShelfController] })
export class ShelfModule {}
