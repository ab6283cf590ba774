import { render } from 'preact';
import { Data } from './data';
import { Report } from './report';
import './style.css';

const data = JSON.parse(document.getElementById('data')!.textContent!) as Data;
const app = document.getElementById('app')!;
app.textContent = '';
document.title = `Foretrace: ${data.trace.source.slice(0, 200)}`;
if (data.view === 'report') render(<Report data={data} />, app);
