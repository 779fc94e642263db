import { Injectable } from '@nestjs/common';
import { ListOf } from '../platform/http';
import { Config } from '../platform/config';
import { CreateUserDto } from './dto/create-user.dto';

/** The body of the bulk creations: an array of at most BULK_LIMIT users. */
@Injectable()
export class UserListPipe extends ListOf<CreateUserDto> {
  /** For the table of operations. */
  static readonly items = CreateUserDto;

  constructor(config: Config) {
    super(CreateUserDto, config.bulkLimit);
  }
}
